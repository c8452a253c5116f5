/* A thread publishes a new block again and again, for ever and on purpose. What it leaves behind is forgotten, so that memory looks the
   same each time; but a block that was allocated since is another one, and nobody waits.

   expect sc,tso,pso holds engine=operational,mcr
   expect sc,tso,pso violated engine=operational,mcr -D WAITS */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) news;
static atomic_int stop;

static void *publish(void *unused)
{
#ifdef WAITS
    while (!stop)
        free(malloc(sizeof(int)));
#else
    for (;;) {
        int *block = malloc(sizeof(int));
        *block = 1;
        news = block;
    }
#endif
    return 0;
}

int main(void)
{
    pthread_t publisher;
    pthread_create(&publisher, 0, publish, 0);
    pthread_join(publisher, 0);
    return 0;
}
