/* POSIX semaphores without names. */
#ifndef PALISADE_SEMAPHORE_H
#define PALISADE_SEMAPHORE_H

#include <errno.h>
#include <time.h>

typedef unsigned int sem_t;

extern int sem_init(sem_t *semaphore, int shared, unsigned int value);
extern int sem_destroy(sem_t *semaphore);
extern int sem_wait(sem_t *semaphore);
extern int sem_trywait(sem_t *semaphore);
extern int sem_post(sem_t *semaphore);
extern int sem_getvalue(sem_t *semaphore, int *value);

static inline int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    if (sem_trywait(semaphore)) {
        errno = ETIMEDOUT;
        return -1;
    }
    return 0;
}

#endif
