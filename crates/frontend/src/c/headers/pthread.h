/* POSIX threads. Mutexes and their like are words that are 0 at first. */
#ifndef PALISADE_PTHREAD_H
#define PALISADE_PTHREAD_H

#include <stddef.h>
#include <sched.h>

struct timespec;
typedef unsigned long pthread_t;
typedef int pthread_attr_t;
typedef unsigned int pthread_mutex_t;
typedef int pthread_mutexattr_t;
typedef unsigned int pthread_spinlock_t;
typedef unsigned int pthread_cond_t;
typedef int pthread_condattr_t;
typedef unsigned int pthread_rwlock_t;
typedef int pthread_rwlockattr_t;
typedef unsigned long pthread_barrier_t;
typedef int pthread_barrierattr_t;
typedef unsigned int pthread_once_t;
typedef unsigned int pthread_key_t;

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_RWLOCK_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

extern int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
extern int pthread_join(pthread_t thread, void **result);
extern int pthread_detach(pthread_t thread);
extern void pthread_exit(void *result);
extern pthread_t pthread_self(void);
extern int pthread_equal(pthread_t left, pthread_t right);
extern int pthread_once(pthread_once_t *control, void (*function)(void));

extern int pthread_attr_init(pthread_attr_t *attributes);
extern int pthread_attr_destroy(pthread_attr_t *attributes);
extern int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
extern int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
extern int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
extern int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
extern int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);

extern int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
extern int pthread_mutex_destroy(pthread_mutex_t *mutex);
extern int pthread_mutex_lock(pthread_mutex_t *mutex);
extern int pthread_mutex_trylock(pthread_mutex_t *mutex);
extern int pthread_mutex_unlock(pthread_mutex_t *mutex);

extern int pthread_spin_init(pthread_spinlock_t *lock, int shared);
extern int pthread_spin_destroy(pthread_spinlock_t *lock);
extern int pthread_spin_lock(pthread_spinlock_t *lock);
extern int pthread_spin_trylock(pthread_spinlock_t *lock);
extern int pthread_spin_unlock(pthread_spinlock_t *lock);

extern int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
extern int pthread_cond_destroy(pthread_cond_t *condition);
extern int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
extern int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
extern int pthread_cond_signal(pthread_cond_t *condition);
extern int pthread_cond_broadcast(pthread_cond_t *condition);

extern int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
extern int pthread_rwlock_destroy(pthread_rwlock_t *lock);
extern int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
extern int pthread_rwlock_unlock(pthread_rwlock_t *lock);

extern int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned int count);
extern int pthread_barrier_destroy(pthread_barrier_t *barrier);
extern int pthread_barrier_wait(pthread_barrier_t *barrier);

#endif
