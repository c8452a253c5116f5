/* A mutex on a futex (Drepper, Futexes Are Tricky, 2011): 0 is free, 1 held, 2 held and perhaps waited for. N threads add to a
   counter once each. To wait on the futex is to look until the word has changed: the kernel may wake threads without a reason. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int word;
int counter;
void futex_wait(atomic_int *at, int value) {
    while (atomic_load_explicit(at, memory_order_relaxed) == value) ;
}
void *work(void *p) {
    int seen = 0;
    if (!atomic_compare_exchange_strong_explicit(&word, &seen, 1, memory_order_acquire, memory_order_acquire)) {
        if (seen != 2)
            seen = atomic_exchange_explicit(&word, 2, memory_order_acquire);
        while (seen != 0) {
            futex_wait(&word, 2);
            seen = atomic_exchange_explicit(&word, 2, memory_order_acquire);
        }
    }
    counter = counter + 1;
    if (atomic_fetch_sub_explicit(&word, 1, memory_order_release) != 1)
        atomic_store_explicit(&word, 0, memory_order_release);
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
