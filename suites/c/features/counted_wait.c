/* A thread counts how often it looks at a flag. Nobody reads what it counts, so that it waits like one that does not count: for
   ever, if the flag never comes. With COUNT the count is shown afterwards, and no two of its states are the same: that it
   waits for ever is seen all the same, since nothing in the loop depends on the count.

   A signed count would overflow in an execution in which the thread looks two thousand million times before the other thread
   goes on; that is not looked for, and a warning says so.

   expect sc,tso,pso,rc11,rc20 holds -D COMES
   expect sc,tso,pso holds -D COMES engine=operational,mcr,axiomatic
   expect rc11 holds -D COMES engine=mcr,axiomatic
   expect sc,tso,pso,rc11 violated
   expect sc,tso,pso violated engine=operational,mcr,axiomatic
   expect rc11 violated engine=mcr,axiomatic
   expect sc,tso,pso,rc11,rc20 holds -D COMES -D NUMBER=unsigned
   expect sc,tso,pso violated -D COUNT -D NUMBER=unsigned engine=operational,mcr
   expect sc,tso,pso,rc11 violated -D COUNT
   expect sc,tso,pso,rc11 violated -D COMES -D BOUNDED */

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef NUMBER
#define NUMBER int
#endif
#ifdef COMES
#define GIVEN 3
#else
#define GIVEN 2
#endif

static atomic_int flag;
static NUMBER shown;

static void *look(void *unused)
{
    NUMBER times = 0;
#ifdef BOUNDED
    /* This one does not wait: its last iteration overflows. */
    times = INT_MAX - 2;
    for (int i = 0; i < 3; i++)
        times++;
#endif
    while (atomic_load(&flag) != 3)
        times++;
#ifdef COUNT
    shown = times;
#endif
    return 0;
}

static void *give(void *unused)
{
    atomic_store(&flag, GIVEN);
    return 0;
}

int main(void)
{
    pthread_t looks, gives;
    pthread_create(&looks, 0, look, 0);
    pthread_create(&gives, 0, give, 0);
    pthread_join(looks, 0);
    pthread_join(gives, 0);
    return 0;
}
