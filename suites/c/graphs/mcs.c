/* The queue lock of Mellor-Crummey and Scott: N threads add to a counter once each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

struct node { _Atomic(struct node *) next; atomic_int locked; };
_Atomic(struct node *) tail;
struct node nodes[N];
int counter;
void *work(void *p) {
    struct node *mine = &nodes[(long)p];
    atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, mine, memory_order_release);
        while (atomic_load_explicit(&mine->locked, memory_order_acquire)) ;
    }
    counter = counter + 1;
    struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
    if (!after) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, memory_order_release, memory_order_relaxed))
            return 0;
        while (!(after = atomic_load_explicit(&mine->next, memory_order_acquire))) ;
    }
    atomic_store_explicit(&after->locked, 0, memory_order_release);
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
