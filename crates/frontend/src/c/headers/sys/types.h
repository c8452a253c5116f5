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
typedef long off64_t;
typedef long loff_t;
typedef unsigned long dev_t;
typedef unsigned long ino_t;
typedef unsigned long nlink_t;
typedef unsigned int id_t;
typedef int key_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;
typedef unsigned int useconds_t;
typedef long suseconds_t;
typedef unsigned int u_int32_t;
typedef unsigned short u_int16_t;
typedef unsigned char u_int8_t;
typedef unsigned long u_int64_t;
typedef unsigned short u_short;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef PALISADE_SSIZE_T
#define PALISADE_SSIZE_T
typedef long ssize_t;
#endif
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned char u_char;

#endif
