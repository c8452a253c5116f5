/* The mutex of musl without a limit of time: a word that is free (0) or held, a count of those who wait, and a bit in the word that
   says that there are some. N threads add to a counter once each. To wait on the futex is to look until the word has changed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

#define HELD 16
#define WAITED 0x40000000
atomic_int word, waiters;
int counter;
int try(void) {
    int seen = 0;
    return atomic_compare_exchange_strong(&word, &seen, HELD);
}
void futex_wait(atomic_int *at, int value) {
    while (atomic_load(at) == value) ;
}
void lock(void) {
    while (!try()) {
        int seen = atomic_load(&word);
        if (!seen)
            continue;
        atomic_fetch_add(&waiters, 1);
        int marked = seen | WAITED;
        atomic_compare_exchange_strong(&word, &seen, marked);
        futex_wait(&word, marked);
        atomic_fetch_sub(&waiters, 1);
    }
}
void unlock(void) {
    atomic_exchange(&word, 0);
    atomic_load(&waiters);
}
void *work(void *p) {
    lock();
    counter = counter + 1;
    unlock();
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
