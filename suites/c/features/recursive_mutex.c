/* A recursive mutex that two threads lock twice each. What each thread knows of it waits in the buffers of machines. */
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m;
int x;
void *t(void *a) {
    pthread_mutex_lock(&m); pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_mutexattr_t at;
    pthread_mutexattr_init(&at);
    pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &at);
    pthread_t a, b;
    pthread_create(&a, 0, t, 0);
    pthread_create(&b, 0, t, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(x == 2);
    return 0;
}

/* What is expected.
   expect rc11 holds
   expect sc,tso,pso holds engine=operational,mcr */
