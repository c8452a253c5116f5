/* A ticket lock with C11 atomics: who comes takes a number, and waits until it is served. Two threads add 1 each, one
   after the other, so the counter ends at 2. With -D BROKEN the lock is left by a relaxed store: on weak memory the next
   holder may not see what the last one did. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

static atomic_uint next_ticket;
static atomic_uint now_serving;
static int counter;

static void lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        ;
}

static void unlock(void)
{
    unsigned mine = atomic_load_explicit(&now_serving, memory_order_relaxed);
    atomic_store_explicit(&now_serving, mine + 1, LEAVE);
}

static void *add(void *unused)
{
    lock();
    counter = counter + 1;
    unlock();
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, add, 0);
    pthread_create(&two, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2);
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
