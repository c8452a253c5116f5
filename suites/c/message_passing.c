/* A message and a flag that announces it: who sees the flag sees the message.

   -D BROKEN    a relaxed flag: the message may be missing, and on C11 the accesses to it race. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ANNOUNCE memory_order_relaxed
#define LOOK memory_order_relaxed
#else
#define ANNOUNCE memory_order_release
#define LOOK memory_order_acquire
#endif

static int message;
static atomic_int flag;

static void *sender(void *unused)
{
    message = 42;
    atomic_store_explicit(&flag, 1, ANNOUNCE);
    return 0;
}

static void *receiver(void *unused)
{
    if (atomic_load_explicit(&flag, LOOK) == 1)
        assert(message == 42);
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, sender, 0);
    pthread_create(&two, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
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
