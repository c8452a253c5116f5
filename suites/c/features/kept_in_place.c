/* A stack whose push keeps what it expects of the top in the new node itself, where a failed compare-exchange writes what it found. Until the
   node is published nobody else sees that, so that failed tries, spurious ones among them, make no executions of their own. With RELAXED a
   pop may find a node whose fields are not there yet.
   palisade check suites/c/features/kept_in_place.c --test '(po|po)'
   expect rc11 holds test='(po|po)'
   expect rc20 holds test='(pp|oo)' engine=mcr
   expect rc11 violated test='(p|o)' engine=mcr -D RELAXED
   expect sc,tso holds test='(pp|o)'
   expect sc,tso,pso holds test='(po|po)' engine=operational */
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

#ifdef RELAXED
#define PUBLISHED memory_order_relaxed
#else
#define PUBLISHED memory_order_release
#endif

_Atomic(struct node *) top;

void i(void)
{
    atomic_init(&top, NULL);
}

/* Pushes a node. */
void p(void)
{
    struct node *fresh = malloc(sizeof(struct node));
    fresh->value = 7;
    fresh->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &fresh->next, fresh, PUBLISHED, memory_order_relaxed))
        ;
}

/* Pops a node, if there is one, and gives its value. */
int o(void)
{
    struct node *first = atomic_load_explicit(&top, memory_order_acquire);
    while (first != NULL && !atomic_compare_exchange_weak_explicit(&top, &first, first->next, memory_order_acquire, memory_order_acquire))
        ;
    return first == NULL ? -1 : first->value;
}
