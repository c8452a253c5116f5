/* A seqlock: one writer, N readers. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int sequence, left, right;
void *work(void *p) {
    int before, l, r;
    do {
        do
            before = atomic_load_explicit(&sequence, memory_order_acquire);
        while (before & 1);
        l = atomic_load_explicit(&left, memory_order_relaxed);
        r = atomic_load_explicit(&right, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load_explicit(&sequence, memory_order_relaxed) != before);
    assert(l == r);
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
