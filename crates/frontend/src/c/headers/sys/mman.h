/* Mapped memory, which is declared but not modelled; that memory is kept in place changes nothing. */
#ifndef PALISADE_SYS_MMAN_H
#define PALISADE_SYS_MMAN_H

#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_ANON 32
#define MAP_FAILED ((void *)-1)
#define MCL_CURRENT 1
#define MCL_FUTURE 2

extern void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
extern int munmap(void *address, size_t length);
extern int mprotect(void *address, size_t length, int protection);
extern int mlock(const void *address, size_t length);
extern int munlock(const void *address, size_t length);
extern int mlockall(int flags);
extern int munlockall(void);

#endif
