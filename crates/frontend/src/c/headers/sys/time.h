/* Clocks of another kind. */
#ifndef PALISADE_SYS_TIME_H
#define PALISADE_SYS_TIME_H

#include <time.h>

struct timeval {
    time_t tv_sec;
    long tv_usec;
};

static inline int gettimeofday(struct timeval *to, void *zone)
{
    to->tv_sec = __VERIFIER_nondet_uint();
    to->tv_usec = __VERIFIER_nondet_uint() % 1000000u;
    return 0;
}

#endif
