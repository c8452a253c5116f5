/* Lamport's fast mutual exclusion for two threads with bounded busy loops: 4 shared variables, and `inside`.
   A loop that gives up enters, so that the assertion can fail on every machine.

   -D SPINS=n    how often a busy loop looks again before it gives up, and how often a thread tries again; 2 by default. */

#include <assert.h>
#include <pthread.h>

#ifndef SPINS
#define SPINS 2
#endif

static int flag1, flag2, x, y, inside;

static void *first(void *unused)
{
    int tries = 0, n, m;

    while (1) {
        flag1 = 1;
        x = 1;
        if (y != 0) {
            flag1 = 0;
            n = 0;
            while (y != 0) {
                if (n++ >= SPINS)
                    break;
            }
            if (tries++ >= SPINS)
                break;
            continue;
        }
        y = 1;
        if (x != 1) {
            flag1 = 0;
            n = 0;
            while (flag2 == 1) {
                if (n++ >= SPINS)
                    break;
            }
            if (y != 1) {
                m = 0;
                while (y != 0) {
                    if (m++ >= SPINS)
                        break;
                }
                if (tries++ >= SPINS)
                    break;
                continue;
            }
        }
        break;
    }
    inside = 1;
    assert(inside == 1);
    y = 0;
    flag1 = 0;
    return 0;
}

static void *second(void *unused)
{
    int tries = 0, n, m;

    while (1) {
        flag2 = 1;
        x = 2;
        if (y != 0) {
            flag2 = 0;
            n = 0;
            while (y != 0) {
                if (n++ >= SPINS)
                    break;
            }
            if (tries++ >= SPINS)
                break;
            continue;
        }
        y = 2;
        if (x != 2) {
            flag2 = 0;
            n = 0;
            while (flag1 == 1) {
                if (n++ >= SPINS)
                    break;
            }
            if (y != 2) {
                m = 0;
                while (y != 0) {
                    if (m++ >= SPINS)
                        break;
                }
                if (tries++ >= SPINS)
                    break;
                continue;
            }
        }
        break;
    }
    inside = 2;
    assert(inside == 2);
    y = 0;
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
