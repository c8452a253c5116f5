/* Waiting for files, of which there are none: only for a time, which takes none here. */
#ifndef PALISADE_POLL_H
#define PALISADE_POLL_H

#include <sys/types.h>

typedef unsigned long nfds_t;

struct pollfd {
    int fd;
    short events;
    short revents;
};

#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32

extern void __palisade_unsupported(const char *message);

static inline int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    if (count)
        __palisade_unsupported("waiting for files");
    return 0;
}

#endif
