/* The queue lock of Craig, Landin and Hagersten: N threads add to a counter once each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

struct node { atomic_int locked; };
struct node nodes[N + 1];
_Atomic(struct node *) tail = &nodes[N];
int counter;
void *work(void *p) {
    struct node *mine = &nodes[(long)p];
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    while (atomic_load_explicit(&before->locked, memory_order_acquire)) ;
    counter = counter + 1;
    atomic_store_explicit(&mine->locked, 0, memory_order_release);
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
