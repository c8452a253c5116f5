/* A mutex that its holder may lock again, one that says so instead, and values of threads by key.

   -D BROKEN    a mutex of the usual kind: who locks it again waits for ever. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t recursive, checking;
static pthread_key_t key;
static int counter;

static void *count(void *own)
{
    pthread_setspecific(key, own);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    counter++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    assert(pthread_getspecific(key) == own);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t kind;
    int own;

    pthread_key_create(&key, 0);
    pthread_mutexattr_init(&kind);
#ifndef BROKEN
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&recursive, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    assert(pthread_mutex_lock(&checking) == 0);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_unlock(&checking) == 0);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    pthread_create(&thread, 0, count, &own);
    pthread_join(thread, 0);
    assert(counter == 1 && pthread_getspecific(key) == 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds
   expect pso holds engine=operational
   expect sc violated -D BROKEN */
