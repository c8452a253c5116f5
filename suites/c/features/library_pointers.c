// expect rc11 pass engine=axiomatic
// expect rc11,sc,tso pass engine=mcr
// expect sc pass engine=operational
// expect rc11 fail -D TWICE
// expect rc11 fail -D LATE
// Functions of the library called through pointers: `free` ends the values of threads, allocators are handed over.
// A wait with a time limit ends, even if nobody signals.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct allocator { void *(*get)(size_t); void (*put)(void *); };
static const struct allocator usual = { malloc, free };
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *use(void *argument)
{
    int *own = usual.get(sizeof *own);
    *own = *(int *)argument;
    pthread_setspecific(key, own);
    assert(*(int *)pthread_getspecific(key) == *(int *)argument);
#ifdef TWICE
    usual.put(own);
#endif
    return 0;
}

int main(void)
{
    int numbers[2] = { 1, 2 };
    pthread_key_create(&key, free);
    pthread_t other;
    pthread_create(&other, 0, use, numbers);
    struct timespec soon = { 0, 0 };
    pthread_mutex_lock(&lock);
    int result = pthread_cond_timedwait(&never, &lock, &soon);
    pthread_mutex_unlock(&lock);
    assert(result == ETIMEDOUT || result == 0);
#ifdef LATE
    assert(result == 0);
#endif
    pthread_join(other, 0);
    return 0;
}
