/* Peterson's mutual exclusion (1981) for two threads. It needs sequential consistency; with -D BROKEN it has acquire and
   release only. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define WRITE memory_order_release
#define READ memory_order_acquire
#else
#define WRITE memory_order_seq_cst
#define READ memory_order_seq_cst
#endif

static atomic_int wants[2];
static atomic_int turn;
static int counter;

static void lock(int me)
{
    int other = 1 - me;
    atomic_store_explicit(&wants[me], 1, WRITE);
    atomic_store_explicit(&turn, other, WRITE);
    while (atomic_load_explicit(&wants[other], READ) && atomic_load_explicit(&turn, READ) == other)
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&wants[me], 0, WRITE);
}

static void *first(void *unused)
{
    lock(0);
    counter = counter + 1;
    unlock(0);
    return 0;
}

static void *second(void *unused)
{
    lock(1);
    counter = counter + 1;
    unlock(1);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2);
    return 0;
}

/* What is expected.
   expect sc holds engine=operational memory-orders=ignored
   expect tso,pso violated engine=operational memory-orders=ignored
   expect sc holds -D BROKEN engine=operational memory-orders=ignored
   expect tso,pso violated -D BROKEN engine=operational memory-orders=ignored
   expect tso,pso holds engine=operational,mcr
   expect rc11,tso violated -D BROKEN engine=axiomatic memory-orders=ignored */
