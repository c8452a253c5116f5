/* N threads each increment a counter atomically, once. Each order of the threads is a class: N factorial.

   -D N=n    2 by default. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int counter;

static void *increment(void *unused)
{
    atomic_fetch_add(&counter, 1);
    return 0;
}

int main(void)
{
    pthread_t counting[N];
    int i;

    for (i = 0; i < N; i++)
        pthread_create(&counting[i], 0, increment, 0);
    for (i = 0; i < N; i++)
        pthread_join(counting[i], 0);
    assert(counter == N);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational,mcr */
