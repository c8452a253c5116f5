/* Read, copy, update with a counter of readers: a writer publishes a new object, waits until no reader is left that may
   still use the old one, and frees that. With -D BROKEN it frees without waiting. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair {
    int left;
    int right;
};

static _Atomic(struct pair *) current;
static atomic_int readers;

static void *reader(void *unused)
{
    struct pair *seen;
    atomic_fetch_add(&readers, 1);
    seen = atomic_load(&current);
    assert(seen->left == seen->right);
    atomic_fetch_sub(&readers, 1);
    return 0;
}

static void *writer(void *unused)
{
    struct pair *old;
    struct pair *new = malloc(sizeof(struct pair));
    new->left = 2;
    new->right = 2;
    old = atomic_exchange(&current, new);
#ifndef BROKEN
    while (atomic_load(&readers) != 0)
        ;
#endif
    old->left = 0; /* what whoever gets the memory next may do */
    free(old);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    struct pair *first = malloc(sizeof(struct pair));
    first->left = 1;
    first->right = 1;
    atomic_init(&current, first);
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=axiomatic,operational memory-orders=ignored
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11,c11 holds
   expect rc11,c11 violated -D BROKEN
   expect tso,pso holds */
