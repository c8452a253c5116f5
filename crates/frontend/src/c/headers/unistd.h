/* Sleeping, which takes no time here. */
#ifndef PALISADE_UNISTD_H
#define PALISADE_UNISTD_H

#include <stddef.h>

typedef long ssize_t;
typedef unsigned int useconds_t;

extern unsigned int sleep(unsigned int seconds);
extern int usleep(useconds_t microseconds);

#endif
