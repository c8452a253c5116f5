/* A spin lock that looks before it tries (test and test-and-set). With -D BROKEN it only looks: two threads may
   find it free at once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int locked;
static int counter;

static void lock(void)
{
#ifdef BROKEN
    while (atomic_load_explicit(&locked, memory_order_acquire))
        ;
    atomic_store_explicit(&locked, 1, memory_order_relaxed);
#else
    do {
        while (atomic_load_explicit(&locked, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&locked, 1, memory_order_acquire));
#endif
}

static void unlock(void)
{
    atomic_store_explicit(&locked, 0, memory_order_release);
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
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11 holds
   expect rc11 violated -D BROKEN
   expect tso,pso holds */
