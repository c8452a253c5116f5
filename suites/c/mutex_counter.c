/* Two threads count under a mutex.

   -D BROKEN    without the mutex: an increment may get lost. */

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused)
{
    int round;

    for (round = 0; round < 2; round++) {
#ifndef BROKEN
        pthread_mutex_lock(&guard);
#endif
        counter++;
#ifndef BROKEN
        pthread_mutex_unlock(&guard);
#endif
    }
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, count, 0);
    pthread_create(&two, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 4);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=axiomatic,operational memory-orders=ignored
   expect sc,tso,pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11,c11 holds
   expect rc11,c11 violated -D BROKEN
   expect tso,pso holds */
