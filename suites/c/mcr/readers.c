/* One writer and N readers of one variable. Each reader sees the write or not: 2 to the power of N classes.

   -D N=n    2 by default. */

#include <pthread.h>

#ifndef N
#define N 2
#endif

static int x, seen[N];

static void *reader(void *place)
{
    *(int *)place = x;
    return 0;
}

static void *writer(void *unused)
{
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t one, others[N];
    int i;

    pthread_create(&one, 0, writer, 0);
    for (i = 0; i < N; i++)
        pthread_create(&others[i], 0, reader, &seen[i]);
    pthread_join(one, 0);
    for (i = 0; i < N; i++)
        pthread_join(others[i], 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational,mcr */
