/* A stack of Treiber: N threads push and pop once each; memory is not reused. */
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

struct node { int value; struct node *next; };
_Atomic(struct node *) top;
void *work(void *p) {
    struct node *mine = malloc(sizeof(struct node));
    mine->value = (int)(long)p + 1;
    struct node *seen = atomic_load_explicit(&top, memory_order_relaxed);
    do {
        mine->next = seen;
    } while (!atomic_compare_exchange_strong_explicit(&top, &seen, mine, memory_order_release, memory_order_relaxed));
    struct node *head;
    do {
        head = atomic_load_explicit(&top, memory_order_acquire);
        if (!head)
            break;
    } while (!atomic_compare_exchange_strong_explicit(&top, &head, head->next, memory_order_acquire, memory_order_relaxed));
    assert(head && head->value > 0);
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(!atomic_load(&top));
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
