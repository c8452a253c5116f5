/* System calls: that of futexes. The number mentions the function, so that it is there where the number is used. */
#ifndef PALISADE_SYS_SYSCALL_H
#define PALISADE_SYS_SYSCALL_H

#include <palisade_futex.h>

enum { SYS_futex = 202 + 0 * sizeof(palisade_futex(0, 0, 0)) };
#define __NR_futex SYS_futex

extern long syscall(long number, ...);

#endif
