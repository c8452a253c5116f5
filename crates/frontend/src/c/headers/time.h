/* Clocks, which may show any time. */
#ifndef PALISADE_TIME_H
#define PALISADE_TIME_H

#include <stddef.h>

typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef int timer_t;

#ifndef PALISADE_TIMESPEC
#define PALISADE_TIMESPEC
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
#endif

#define CLOCKS_PER_SEC 1000000L
#define TIME_UTC 1
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define TIMER_ABSTIME 1

extern unsigned int __VERIFIER_nondet_uint(void);
extern int nanosleep(const struct timespec *duration, struct timespec *remaining);
extern int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *remaining);

static inline time_t time(time_t *to)
{
    time_t now = __VERIFIER_nondet_uint();
    if (to)
        *to = now;
    return now;
}

static inline clock_t clock(void) { return __VERIFIER_nondet_uint(); }

static inline int clock_gettime(clockid_t clock, struct timespec *to)
{
    to->tv_sec = __VERIFIER_nondet_uint();
    to->tv_nsec = __VERIFIER_nondet_uint() % 1000000000u;
    return 0;
}

static inline int timespec_get(struct timespec *to, int base)
{
    clock_gettime(CLOCK_REALTIME, to);
    return base;
}

#endif
