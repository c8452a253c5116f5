/* The queue of Doherty, Groves, Luchangco and Moir (FORTE 2004), whose head may overtake its tail: N threads enqueue and dequeue
   once each; memory is not reused. */
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

struct node { int value; _Atomic(struct node *) next; };
_Atomic(struct node *) head, tail;
void enqueue(int value) {
    struct node *mine = malloc(sizeof(struct node)), *last, *next;
    mine->value = value;
    atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
    for (;;) {
        last = atomic_load_explicit(&tail, memory_order_acquire);
        next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (last != atomic_load_explicit(&tail, memory_order_acquire))
            continue;
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, mine, memory_order_release, memory_order_relaxed))
            break;
    }
    atomic_compare_exchange_strong_explicit(&tail, &last, mine, memory_order_release, memory_order_relaxed);
}
/* The value taken out, 0 if there is none. */
int dequeue(void) {
    struct node *first, *last, *next;
    for (;;) {
        first = atomic_load_explicit(&head, memory_order_acquire);
        next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (first != atomic_load_explicit(&head, memory_order_acquire))
            continue;
        if (!next)
            return 0;
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed)) {
            last = atomic_load_explicit(&tail, memory_order_acquire);
            if (first == last)
                atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
            return value;
        }
    }
}
void *work(void *p) {
    enqueue((int)(long)p + 1);
    assert(dequeue() > 0);
    return 0;
}
int main(void) {
    struct node *dummy = malloc(sizeof(struct node));
    atomic_store_explicit(&dummy->next, 0, memory_order_relaxed);
    atomic_store_explicit(&head, dummy, memory_order_relaxed);
    atomic_store_explicit(&tail, dummy, memory_order_relaxed);
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
