/* Lamport's bakery for two threads with bounded busy loops: 2 arrays of 2 shared variables, and `x` to tell who is inside.
   A loop that gives up enters, so that the assertion can fail on every machine.

   -D SPINS=n    how often a busy loop looks again before it gives up; 2 by default. */

#include <assert.h>
#include <pthread.h>

#ifndef SPINS
#define SPINS 2
#endif

static int enter[2], number[2], x;

static void customer(int i)
{
    int max = 0, j, n, m, current;

    enter[i] = 1;
    for (j = 0; j < 2; j++) {
        current = number[j];
        if (current > max)
            max = current;
    }
    number[i] = 1 + max;
    enter[i] = 0;
    for (j = 0; j < 2; j++) {
        if (j == i)
            continue;
        n = 0;
        while (enter[j] == 1) {
            if (n++ >= SPINS)
                break;
        }
        m = 0;
        while (number[j] != 0 && (number[j] < number[i] || (number[j] == number[i] && j < i))) {
            if (m++ >= SPINS)
                break;
        }
    }
    x = i + 1;
    assert(x == i + 1);
    number[i] = 0;
}

static void *first(void *unused)
{
    customer(0);
    return 0;
}

static void *second(void *unused)
{
    customer(1);
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso violated engine=operational,mcr */
