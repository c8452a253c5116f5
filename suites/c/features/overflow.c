/* The middle of two indexes that two threads give: their sum may not fit in an int.

   -D BROKEN    the sum is computed as an int. */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int low, high = INT_MAX - 1;

static void *raise(void *unused)
{
    atomic_store(&low, 2);
    return 0;
}

static int middle(int a, int b)
{
#ifdef BROKEN
    return (a + b) / 2;
#else
    return a + (b - a) / 2;
#endif
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, 0, raise, 0);
    int a = atomic_load(&low), b = atomic_load(&high);
    int found = middle(a, b);
    assert(a <= found && found <= b);
    pthread_join(other, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=axiomatic,operational,mcr
   expect rc11 holds engine=axiomatic,mcr
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational,mcr
   expect rc11 violated -D BROKEN engine=axiomatic,mcr */
