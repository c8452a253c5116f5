/* Peterson's mutual exclusion with bounded busy loops: 3 shared variables, and `x` to tell who is inside.
   A loop that gives up enters, so that the assertion can fail on every machine.

   -D SPINS=n    how often a busy loop looks again before it gives up; 2 by default. */

#include <assert.h>
#include <pthread.h>

#ifndef SPINS
#define SPINS 2
#endif

static int flag1, flag2, turn, x;

static void *first(void *unused)
{
    int n = 0;

    flag1 = 1;
    turn = 2;
    while (flag2 == 1 && turn == 2) {
        if (n++ >= SPINS)
            break;
    }
    x = 1;
    assert(x == 1);
    flag1 = 0;
    return 0;
}

static void *second(void *unused)
{
    int n = 0;

    flag2 = 1;
    turn = 1;
    while (flag1 == 1 && turn == 1) {
        if (n++ >= SPINS)
            break;
    }
    x = 2;
    assert(x == 2);
    flag2 = 0;
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
