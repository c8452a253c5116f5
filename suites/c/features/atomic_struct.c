/* Atomic structs: a stack whose head is a pointer with a counter, of 16 bytes, and two numbers in one word.

   -D WORD      the threads change the two numbers, else they use the stack.
   -D BROKEN    the two numbers are read, changed and written back in two steps.
   -D RELAXED   the stack is relaxed: who pops may not see what was pushed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

struct node {
    struct node *next;
    int value;
};

struct head {
    struct node *first;
    uintptr_t count;
};

struct both {
    uint32_t low, high;
};

static _Atomic struct head head;
static _Atomic(struct both) both = { 1, 2 };
static struct node nodes[2];

static void push(struct node *node)
{
    struct head old = atomic_load_explicit(&head, memory_order_relaxed), new;

    do {
        node->next = old.first;
        new.first = node;
        new.count = old.count + 1;
    } while (!atomic_compare_exchange_weak_explicit(&head, &old, new, RELEASE, memory_order_relaxed));
}

static void grow(void)
{
    struct both old = both;
#ifdef BROKEN
    both = (struct both){ old.low + 1, old.high + 2 };
#else
    while (!atomic_compare_exchange_strong(&both, &old, ((struct both){ old.low + 1, old.high + 2 })))
        ;
#endif
}

static void *pusher(void *argument)
{
#ifdef WORD
    grow();
#else
    nodes[0].value = 5;
    push(&nodes[0]);
#endif
    return NULL;
}

static void *popper(void *argument)
{
#ifdef WORD
    grow();
#else
    struct head seen = atomic_load_explicit(&head, memory_order_acquire);

    if (seen.first)
        assert(seen.first->value == 5 && seen.count == 1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct both last;

    pthread_create(&first, NULL, pusher, NULL);
    pthread_create(&second, NULL, popper, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    last = atomic_exchange(&both, ((struct both){ 0, 0 }));
#ifdef WORD
    assert(last.low == 3 && last.high == 6);
#else
    assert(last.low == 1 && last.high == 2);
#endif
    last = atomic_load(&both);
    assert(last.low == 0);
    return 0;
}

/* What is expected.
   expect sc,tso,rc11 holds
   expect sc holds engine=mcr
   expect rc11 holds engine=axiomatic
   expect tso holds -D RELAXED
   expect rc11 violated -D RELAXED
   expect sc,tso,rc11 holds -D WORD
   expect sc,tso,rc11 violated -D WORD -D BROKEN */
