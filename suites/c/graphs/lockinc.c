/* N threads add to a counter under a mutex. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *work(void *p) {
    pthread_mutex_lock(&mutex);
    counter = counter + 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(counter == N);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
