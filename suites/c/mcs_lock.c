/* The queue lock of Mellor-Crummey and Scott (1991) with C11 atomics: each thread waits at a flag of its own, which the
   thread before it in the queue clears. With -D BROKEN a thread that finds no successor leaves without looking whether
   one is just coming, which then waits for ever. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) tail;
static struct node nodes[2];
static int counter;

static void lock(struct node *mine)
{
    struct node *before;
    atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
    atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
    before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before != 0) {
        atomic_store_explicit(&before->next, mine, memory_order_release);
        while (atomic_load_explicit(&mine->waits, memory_order_acquire))
            ;
    }
}

static void unlock(struct node *mine)
{
    struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
    if (after == 0) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, memory_order_release, memory_order_relaxed))
            return;
#ifdef BROKEN
        return;
#else
        do
            after = atomic_load_explicit(&mine->next, memory_order_acquire);
        while (after == 0);
#endif
    }
    atomic_store_explicit(&after->waits, 0, memory_order_release);
}

static void *add(void *mine)
{
    lock(mine);
    counter = counter + 1;
    unlock(mine);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, add, &nodes[0]);
    pthread_create(&two, 0, add, &nodes[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=axiomatic,operational memory-orders=ignored
   expect pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11 holds
   expect rc11 violated -D BROKEN
   expect tso,pso holds */
