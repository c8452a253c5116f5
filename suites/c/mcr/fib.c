/* Two threads add each other's number to their own, N times each; at the end no number is larger
   than it can be.
   From the benchmarks of SV-COMP (pthread/fib_bench).

   -D N=n    2 by default, at most 10. */

#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static int i = 1, j = 1;

static void *first(void *unused)
{
    int k;

    for (k = 0; k < N; k++)
        i += j;
    return 0;
}

static void *second(void *unused)
{
    int k;

    for (k = 0; k < N; k++)
        j += i;
    return 0;
}

/* The largest number: that of Fibonacci with the index 2 N + 2, counted from 1. */
static int largest(void)
{
    int previous = 1, current = 1, next, k;

    for (k = 0; k < 2 * N; k++) {
        next = previous + current;
        previous = current;
        current = next;
    }
    return current;
}

int main(void)
{
    pthread_t one, two;
    int most = largest();

    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(i <= most && j <= most);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational,mcr */
