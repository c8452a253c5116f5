/* A hazard pointer (Michael 2004): a reader announces which object it is about to use and looks again whether that is
   still the current one; a writer reuses the old object only if no announcement names it. With -D BROKEN the announcement
   is relaxed, and may come too late. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ANNOUNCE memory_order_relaxed
#else
#define ANNOUNCE memory_order_seq_cst
#endif

static int objects[2] = { 1, 2 };
static _Atomic(int *) current = &objects[0];
static _Atomic(int *) hazard;

static void *reader(void *unused)
{
    int *mine = atomic_load_explicit(&current, memory_order_acquire);
    atomic_store_explicit(&hazard, mine, ANNOUNCE);
    if (atomic_load_explicit(&current, memory_order_seq_cst) == mine)
        assert(*mine != 0);
    atomic_store_explicit(&hazard, 0, memory_order_release);
    return 0;
}

static void *writer(void *unused)
{
    int *old = atomic_exchange_explicit(&current, &objects[1], memory_order_seq_cst);
    if (atomic_load_explicit(&hazard, memory_order_seq_cst) != old)
        *old = 0;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc holds engine=axiomatic,operational memory-orders=ignored
   expect tso,pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc holds -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect tso,pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11,c11 holds
   expect rc11,c11 violated -D BROKEN
   expect tso,pso holds */
