/* A spin lock with C11 atomics keeps two increments of a plain counter apart.

   -D BROKEN    leave the critical section with a relaxed store: on C11 the increments then race. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

static atomic_int locked;
static int counter;

static void lock(void)
{
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire) != 0)
        ;
}

static void unlock(void)
{
    atomic_store_explicit(&locked, 0, LEAVE);
}

static void *increment(void *unused)
{
    lock();
    counter = counter + 1;
    unlock();
    return 0;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, 0, increment, 0);
    pthread_create(&second, 0, increment, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(counter == 2);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=axiomatic,operational memory-orders=ignored
   expect pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc,tso holds -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11,c11 holds
   expect rc11,c11 violated -D BROKEN
   expect tso,pso holds */
