/* The heart of Dekker's mutual exclusion: each thread says that it wants to enter and enters only if the other does not want
   to. At most one may enter.

   -D BROKEN    relaxed accesses: both may enter, even on x86. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

static atomic_int wants_first, wants_second;
static int entered_first, entered_second;

static void *first(void *unused)
{
    atomic_store_explicit(&wants_first, 1, ORDER);
    if (atomic_load_explicit(&wants_second, ORDER) == 0)
        entered_first = 1;
    return 0;
}

static void *second(void *unused)
{
    atomic_store_explicit(&wants_second, 1, ORDER);
    if (atomic_load_explicit(&wants_first, ORDER) == 0)
        entered_second = 1;
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!(entered_first && entered_second));
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
