/* A block of a computed size, which another thread takes: its last element is there, and nothing behind it.

   -D BEYOND    an element that is there only where the block has three. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

static _Atomic(int *) slot;

static void *maker(void *unused)
{
    size_t count = 2 + __VERIFIER_nondet_bool();
    int *block = malloc(count * sizeof(int));

    block[count - 1] = 1;
    atomic_store(&slot, block);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *block;

    pthread_create(&thread, 0, maker, 0);
    block = atomic_load(&slot);
    if (block)
#ifdef BEYOND
        block[2] = 5;
#else
        block[1] = 5;
#endif
    pthread_join(thread, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso,rc11 holds engine=axiomatic,mcr
   expect sc,tso,pso holds engine=operational
   expect sc,tso,pso,rc11 violated -D BEYOND engine=axiomatic,mcr
   expect sc,tso,pso violated -D BEYOND engine=operational */
