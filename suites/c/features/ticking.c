/* Two threads move money between two accounts, each under the locks of both, while a clock ticks for ever. The clock has no end of
   states, and none in which nothing happens: that the movers wait for each other for ever is seen from what the clock
   can still do. With TO_AND_FRO the clock has two states, between which it changes for ever.

   expect sc,tso,pso violated engine=operational
   expect sc,tso,pso,rc11 violated
   expect sc,tso,pso violated engine=operational,mcr -D TO_AND_FRO
   expect sc,tso,pso,rc11 violated -D TO_AND_FRO */

#include <pthread.h>
#include <stdatomic.h>

struct account {
    pthread_mutex_t lock;
    int money;
};

static struct account ours = { PTHREAD_MUTEX_INITIALIZER, 5 }, theirs = { PTHREAD_MUTEX_INITIALIZER, 5 };
static atomic_uint ticks;

static void move(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->money--;
    to->money++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *give(void *unused)
{
    move(&ours, &theirs);
    return 0;
}

static void *take(void *unused)
{
    move(&theirs, &ours);
    return 0;
}

static void *tick(void *unused)
{
    for (;;)
#ifdef TO_AND_FRO
        atomic_fetch_xor(&ticks, 1);
#else
        atomic_fetch_add(&ticks, 1);
#endif
}

int main(void)
{
    pthread_t clock, giver, taker;
    pthread_create(&clock, 0, tick, 0);
    pthread_create(&giver, 0, give, 0);
    pthread_create(&taker, 0, take, 0);
    pthread_join(giver, 0);
    pthread_join(taker, 0);
    return 0;
}
