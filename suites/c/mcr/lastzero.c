/* N threads write to an array, each one more than the element before its own; one thread looks for the last zero. From
   Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", 2014.

   -D N=n    2 by default. */

#include <pthread.h>

#ifndef N
#define N 2
#endif

static int array[N + 1], numbers[N + 1], last;

static void *searcher(void *unused)
{
    int i = N;

    while (array[i] != 0)
        i--;
    last = i;
    return 0;
}

static void *writer(void *number)
{
    int i = *(int *)number;

    array[i] = array[i - 1] + 1;
    return 0;
}

int main(void)
{
    pthread_t searching, writing[N + 1];
    int i;

    for (i = 1; i <= N; i++)
        numbers[i] = i;
    pthread_create(&searching, 0, searcher, 0);
    for (i = 1; i <= N; i++)
        pthread_create(&writing[i], 0, writer, &numbers[i]);
    pthread_join(searching, 0);
    for (i = 1; i <= N; i++)
        pthread_join(writing[i], 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational,mcr */
