/* A stack (Treiber 1986) whose nodes are given back to malloc. Popped nodes are put aside and freed when nobody uses the
   stack any more. With -D BROKEN whoever pops a node frees it at once: another pop may still hold a pointer to it, find
   it on top again, where a push has put it after malloc gave it out once more, and go on with its old successor (ABA). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static struct node *aside[3];
static atomic_int popped[3];

static void push(int value)
{
    struct node *node = malloc(sizeof(struct node));
    struct node *seen = atomic_load(&top);
    node->value = value;
    do
        node->next = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static void pop(void)
{
    struct node *seen = atomic_load(&top);
    int value;

    while (seen != 0 && !atomic_compare_exchange_strong(&top, &seen, seen->next))
        ;
    if (seen == 0)
        return;
    value = seen->value;
    assert(atomic_fetch_add(&popped[value], 1) == 0);
#ifdef BROKEN
    free(seen);
#else
    aside[value] = seen;
#endif
}

static void *one(void *unused)
{
    pop();
    return 0;
}

static void *other(void *unused)
{
    pop();
    pop();
    push(2);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    int value;

    push(0);
    push(1);
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pop();
    for (value = 0; value < 3; value++)
        if (aside[value] != 0)
            free(aside[value]);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=axiomatic,operational memory-orders=ignored
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11 holds
   expect rc11 violated -D BROKEN
   expect tso,pso holds */
