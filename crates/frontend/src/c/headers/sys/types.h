/* Types of the system. */
#ifndef PALISADE_SYS_TYPES_H
#define PALISADE_SYS_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int mode_t;
typedef long off_t;
#ifndef PALISADE_SSIZE_T
#define PALISADE_SSIZE_T
typedef long ssize_t;
#endif
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned char u_char;

#endif
