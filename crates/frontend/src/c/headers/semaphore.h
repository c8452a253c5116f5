/* POSIX semaphores without names. */
#ifndef PALISADE_SEMAPHORE_H
#define PALISADE_SEMAPHORE_H

typedef unsigned int sem_t;

extern int sem_init(sem_t *semaphore, int shared, unsigned int value);
extern int sem_destroy(sem_t *semaphore);
extern int sem_wait(sem_t *semaphore);
extern int sem_trywait(sem_t *semaphore);
extern int sem_post(sem_t *semaphore);
extern int sem_getvalue(sem_t *semaphore, int *value);

#endif
