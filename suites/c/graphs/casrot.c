/* N threads exchange i for i + 1. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int x;
void *work(void *p) {
    int expected = (int)(long)p;
    atomic_compare_exchange_strong_explicit(&x, &expected, expected + 1, memory_order_relaxed, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
