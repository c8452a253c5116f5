/* POSIX threads. Mutexes and their like are words that are 0 at first. */
#ifndef PALISADE_PTHREAD_H
#define PALISADE_PTHREAD_H

#include <stddef.h>
#include <sched.h>
#include <errno.h>

#include <time.h>
typedef unsigned long pthread_t;
typedef int pthread_attr_t;
typedef unsigned int pthread_mutex_t;
typedef int pthread_mutexattr_t;
typedef unsigned int pthread_spinlock_t;
typedef unsigned int pthread_cond_t;
typedef int pthread_condattr_t;
typedef unsigned long pthread_rwlock_t;
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
#define PTHREAD_MUTEX_TIMED_NP 0
#define PTHREAD_MUTEX_ADAPTIVE_NP 0
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_KEYS_MAX 4
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_STACK_MIN 16384
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_RWLOCK_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

/* What a thread runs whose function is only known when it starts. */
static inline void *palisade_run(void *(*function)(void *), void *argument) { return function(argument); }

extern int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*palisade_run)(void *),
                          void *argument);
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
extern int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);

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

/* A lock with a time limit is one that is tried: whoever waits and gets it could as well have come later. */
static inline int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    return pthread_mutex_trylock(mutex) ? ETIMEDOUT : 0;
}

static inline int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return pthread_rwlock_tryrdlock(lock) ? ETIMEDOUT : 0;
}

static inline int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return pthread_rwlock_trywrlock(lock) ? ETIMEDOUT : 0;
}

extern void __palisade_error(const char *message);

/* Mutexes that know who holds them. Each thread knows which it holds, and how often again; the kind of each is set where it is
   initialised. Only programs that set a kind come to this. Each store waits in the buffers of machines: there are few. */
static struct {
    void *mutex;
    long kind;
} palisade_kinds[4];

static _Thread_local struct {
    void *mutex;
    long again;
} palisade_held[4];

static inline int palisade_kind(void *mutex)
{
    for (int place = 0; place < 4; place++)
        if (palisade_kinds[place].mutex == mutex)
            return palisade_kinds[place].kind;
    return PTHREAD_MUTEX_NORMAL;
}

static inline int palisade_place(void *mutex)
{
    for (int place = 0; place < 4; place++)
        if (palisade_held[place].mutex == mutex)
            return place;
    return -1;
}

static inline int palisade_mutex_init(pthread_mutex_t *mutex, int kind)
{
    int place = 0;
    while (place < 4 && palisade_kinds[place].mutex && palisade_kinds[place].mutex != mutex)
        place++;
    if (place == 4)
        __palisade_error("more than 4 mutexes of kinds: so many are not modelled");
    palisade_kinds[place].mutex = mutex;
    palisade_kinds[place].kind = kind;
    return pthread_mutex_init(mutex, NULL);
}

static inline int palisade_mutex_enter(pthread_mutex_t *mutex, int waits)
{
    int kind = palisade_kind(mutex), place = kind == PTHREAD_MUTEX_NORMAL ? -1 : palisade_place(mutex);
    if (place >= 0) {
        if (kind == PTHREAD_MUTEX_ERRORCHECK)
            return waits ? EDEADLK : EBUSY;
        palisade_held[place].again++;
        return 0;
    }
    if (waits)
        pthread_mutex_lock(mutex);
    else if (pthread_mutex_trylock(mutex))
        return EBUSY;
    if (kind == PTHREAD_MUTEX_NORMAL)
        return 0;
    place = palisade_place(NULL);
    if (place < 0)
        __palisade_error("a thread holds more than 4 mutexes of kinds: so many are not modelled");
    palisade_held[place].mutex = mutex;
    return 0;
}

static inline int palisade_mutex_lock(pthread_mutex_t *mutex) { return palisade_mutex_enter(mutex, 1); }
static inline int palisade_mutex_trylock(pthread_mutex_t *mutex) { return palisade_mutex_enter(mutex, 0); }

static inline int palisade_mutex_unlock(pthread_mutex_t *mutex)
{
    if (palisade_kind(mutex) != PTHREAD_MUTEX_NORMAL) {
        int place = palisade_place(mutex);
        if (place < 0)
            return EPERM;
        if (palisade_held[place].again) {
            palisade_held[place].again--;
            return 0;
        }
        palisade_held[place].mutex = NULL;
    }
    return pthread_mutex_unlock(mutex);
}

static inline int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
    *attributes = PTHREAD_MUTEX_NORMAL;
    return 0;
}

/* Mentions what locks must do then. */
enum {
    palisade_kinds_matter = sizeof(palisade_mutex_lock(0)) + sizeof(palisade_mutex_unlock(0))
                            + sizeof(palisade_mutex_trylock(0)) + sizeof(palisade_mutex_init(0, 0))
};

static inline int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type)
{
    *attributes = palisade_kinds_matter ? type : 0;
    return 0;
}

/* Keys: each thread has a value for each. Their destructors run where a thread ends. */
static _Atomic(unsigned int) palisade_keys;
static void (*palisade_destructors[PTHREAD_KEYS_MAX])(void *);
static _Thread_local void *palisade_values[PTHREAD_KEYS_MAX];

static inline void palisade_thread_ends(void)
{
    for (int key = 0; key < PTHREAD_KEYS_MAX; key++) {
        void *value = palisade_values[key];
        if (value && palisade_destructors[key]) {
            palisade_values[key] = NULL;
            palisade_destructors[key](value);
        }
    }
}

static inline int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    unsigned int number = __atomic_fetch_add(&palisade_keys, 1, __ATOMIC_RELAXED);
    if (number >= PTHREAD_KEYS_MAX)
        return EAGAIN;
    if (destructor)
        palisade_destructors[number] = destructor;
    *key = number + 0 * (unsigned int)sizeof(palisade_thread_ends());
    return 0;
}

static inline int pthread_key_delete(pthread_key_t key)
{
    return 0;
}

static inline void *pthread_getspecific(pthread_key_t key)
{
    return palisade_values[key];
}

static inline int pthread_setspecific(pthread_key_t key, const void *value)
{
    palisade_values[key] = (void *)value;
    return 0;
}

#endif
