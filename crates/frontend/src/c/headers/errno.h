/* Error numbers. */
#ifndef PALISADE_ERRNO_H
#define PALISADE_ERRNO_H

extern int *__errno_location(void);
#define errno (*__errno_location())

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define EDEADLK 35
#define ETIMEDOUT 110

#endif
