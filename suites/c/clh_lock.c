/* The queue lock of Craig, Landin and Hagersten (1993) with C11 atomics: each thread waits at the flag of the one before
   it, and takes over its node when it leaves. With -D BROKEN the holder is announced by a relaxed store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

struct node {
    atomic_int held;
};

static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[0];
static int counter;

static void *add(void *argument)
{
    struct node *mine = argument;
    struct node *before;
    atomic_store_explicit(&mine->held, 1, memory_order_relaxed);
    before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    while (atomic_load_explicit(&before->held, memory_order_acquire))
        ;
    counter = counter + 1;
    atomic_store_explicit(&mine->held, 0, LEAVE);
    return before;
}

int main(void)
{
    pthread_t one, two;
    void *left_one, *left_two;
    pthread_create(&one, 0, add, &nodes[1]);
    pthread_create(&two, 0, add, &nodes[2]);
    pthread_join(one, &left_one);
    pthread_join(two, &left_two);
    assert(counter == 2);
    assert(left_one != left_two);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=axiomatic,operational memory-orders=ignored
   expect pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc,tso holds -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11 holds
   expect rc11 violated -D BROKEN
   expect tso,pso holds */
