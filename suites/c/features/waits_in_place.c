/* Each thread wants to be the first to publish its node, and tries again in the node itself: the second one stays there for ever, although it
   writes in memory all the time, since nobody else sees what it writes.
   palisade check suites/c/features/waits_in_place.c
   expect rc11 violated engine=mcr
   expect sc,tso,pso violated engine=operational */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

_Atomic(struct node *) top;

void *first(void *argument)
{
    struct node *own = malloc(sizeof(struct node));
    own->next = NULL;
    while (!atomic_compare_exchange_strong(&top, &own->next, own))
        own->next = NULL;
    return argument;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&other, NULL, first, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
