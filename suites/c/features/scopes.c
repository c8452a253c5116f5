/* A thread hands out the address of its own variable, and waits until it was used.

   -D BROKEN    it does not wait: the variable may be used after its scope. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int *_Atomic offered;
static atomic_int taken;

static void *offer(void *unused)
{
    int value = 1;

    atomic_store(&offered, &value);
#ifndef BROKEN
    while (!atomic_load(&taken))
        ;
#endif
    return 0;
}

int main(void)
{
    pthread_t other;
    int *seen;

    pthread_create(&other, 0, offer, 0);
    seen = atomic_load(&offered);
    if (seen)
        assert(*seen == 1);
    atomic_store(&taken, 1);
    pthread_join(other, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=axiomatic,operational,mcr
   expect rc11 holds engine=axiomatic,mcr
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational,mcr
   expect rc11 violated -D BROKEN engine=axiomatic,mcr */
