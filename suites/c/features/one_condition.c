/* A buffer for one item, with one condition variable for all who wait. A signal may wake a thread of the same side, which waits
   on, and nobody is left to wake the others: every waiter must be woken. Only what is under the lock is shared, so that what sc
   says holds under every model of C.

   expect rc11,rc20,sc violated
   expect rc11,rc20,sc holds -D ALL -D N=2
   expect rc11,rc20 violated -D ALL -D N=2 -D FREE */

#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4
#endif
#ifdef ALL
#define wake pthread_cond_broadcast
#else
#define wake pthread_cond_signal
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int count, puts;

void *put(void *unused) {
    pthread_mutex_lock(&lock);
    while (count == 1)
        pthread_cond_wait(&changed, &lock);
    count++;
    wake(&changed);
    pthread_mutex_unlock(&lock);
#ifdef FREE /* of the lock: a data race */
    puts++;
#endif
    return 0;
}

void *get(void *unused) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&changed, &lock);
    assert(count == 1);
    count--;
    wake(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t putting[N], getting[N];
    for (int i = 0; i < N; i++) {
        pthread_create(&putting[i], 0, put, 0);
        pthread_create(&getting[i], 0, get, 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(putting[i], 0);
        pthread_join(getting[i], 0);
    }
    assert(count == 0);
    return 0;
}
