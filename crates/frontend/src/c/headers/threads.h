/* C11 threads. */
#ifndef PALISADE_THREADS_H
#define PALISADE_THREADS_H

typedef unsigned long thrd_t;
typedef int (*thrd_start_t)(void *);
typedef unsigned int mtx_t;
typedef unsigned int cnd_t;
typedef unsigned int once_flag;
struct timespec;

#define ONCE_FLAG_INIT 0
#define thread_local _Thread_local

enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };

extern int thrd_create(thrd_t *thread, thrd_start_t start, void *argument);
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
extern int mtx_timedlock(mtx_t *mutex, const struct timespec *until);
extern int mtx_unlock(mtx_t *mutex);

extern int cnd_init(cnd_t *condition);
extern void cnd_destroy(cnd_t *condition);
extern int cnd_wait(cnd_t *condition, mtx_t *mutex);
extern int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until);
extern int cnd_signal(cnd_t *condition);
extern int cnd_broadcast(cnd_t *condition);

#endif
