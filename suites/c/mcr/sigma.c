/* N threads each mark the element of an array that a counter names; the counter goes up before each is started. At the end
   the marks are added up. From the benchmarks of SV-COMP (pthread/sigma), without its assertion, which is false.

   -D N=n    2 by default. */

#include <pthread.h>

#ifndef N
#define N 2
#endif

static int array[N + 1], place, sum;

static void *marker(void *unused)
{
    array[place] = 1;
    return 0;
}

int main(void)
{
    pthread_t marking[N];
    int i;

    for (i = 0; i < N; i++) {
        place++;
        pthread_create(&marking[i], 0, marker, 0);
    }
    for (i = 0; i < N; i++)
        pthread_join(marking[i], 0);
    for (i = 0; i <= N; i++)
        sum += array[i];
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational,mcr */
