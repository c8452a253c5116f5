/* C11 threads. */
#ifndef PALISADE_THREADS_H
#define PALISADE_THREADS_H

#include <pthread.h>

typedef unsigned long thrd_t;
typedef int (*thrd_start_t)(void *);
typedef unsigned int mtx_t;
typedef unsigned int cnd_t;
typedef unsigned int once_flag;

#define ONCE_FLAG_INIT 0
#define thread_local _Thread_local

enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };
enum { mtx_plain = 0, mtx_timed = 2 };
enum { mtx_recursive = palisade_kinds_matter ? 1 : 0 };

typedef pthread_key_t tss_t;
typedef void (*tss_dtor_t)(void *);
#define TSS_DTOR_ITERATIONS 1

/* What a thread runs whose function is only known when it starts. */
static inline int palisade_run_int(thrd_start_t function, void *argument) { return function(argument); }

extern int thrd_create(thrd_t *thread, thrd_start_t palisade_run_int, void *argument);
extern int thrd_join(thrd_t thread, int *result);
extern int thrd_detach(thrd_t thread);
extern int thrd_equal(thrd_t left, thrd_t right);
extern thrd_t thrd_current(void);
extern void thrd_exit(int result);
extern void thrd_yield(void);
extern int thrd_sleep(const struct timespec *duration, struct timespec *remaining);
extern void call_once(once_flag *flag, void (*function)(void));

extern int mtx_init(mtx_t *mutex, int type);
extern void mtx_destroy(mtx_t *mutex);
extern int mtx_lock(mtx_t *mutex);
extern int mtx_trylock(mtx_t *mutex);
extern int mtx_unlock(mtx_t *mutex);

extern int cnd_init(cnd_t *condition);
extern void cnd_destroy(cnd_t *condition);
extern int cnd_wait(cnd_t *condition, mtx_t *mutex);
extern int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until);
extern int cnd_signal(cnd_t *condition);
extern int cnd_broadcast(cnd_t *condition);

static inline int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return mtx_trylock(mutex) ? thrd_timedout : thrd_success;
}

static inline int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}

static inline void tss_delete(tss_t key) { pthread_key_delete(key); }
static inline void *tss_get(tss_t key) { return pthread_getspecific(key); }
static inline int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value); }

#endif
