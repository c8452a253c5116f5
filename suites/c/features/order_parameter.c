/* A message behind functions that take the memory order as a parameter.

   -D BROKEN    the flag is stored with memory_order_relaxed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static atomic_int flag;
static atomic_int message;

static inline void put(atomic_int *cell, int value, memory_order order)
{
    atomic_store_explicit(cell, value, order);
}

static inline int get(atomic_int *cell, memory_order order)
{
    return atomic_load_explicit(cell, order);
}

static void *writer(void *unused)
{
    put(&message, 1, memory_order_relaxed);
    put(&flag, 1, PUBLISH);
    return 0;
}

static void *reader(void *unused)
{
    memory_order order = memory_order_acquire;

    if (get(&flag, order))
        assert(get(&message, memory_order_relaxed) == 1);
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,rc11 holds
   expect rc11 violated -D BROKEN */
