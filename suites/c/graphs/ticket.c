/* A ticket lock: N threads add to a counter once each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int next, serving;
int counter;
void *work(void *p) {
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine) ;
    counter = counter + 1;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
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
