/* N threads each take a lock once, by waiting in a loop without a bound, and count. However often they look while they wait,
   each order of the threads is a class: N factorial, on sc and tso.

   -D N=n       2 by default.
   -D TICKET    The lock gives out numbers; without it, it is taken by an exchange.
   -D LOOK      Who waits looks at the lock before it tries to take it. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int lock, next;
static int count;

static void *work(void *unused)
{
#ifdef TICKET
    int mine = atomic_fetch_add(&next, 1);

    while (atomic_load(&lock) != mine)
        ;
    count++;
    atomic_store(&lock, mine + 1);
#else
    do {
#ifdef LOOK
        while (atomic_load(&lock))
            ;
#endif
    } while (atomic_exchange(&lock, 1));
    count++;
    atomic_store(&lock, 0);
#endif
    return 0;
}

int main(void)
{
    pthread_t working[N];
    int i;

    for (i = 0; i < N; i++)
        pthread_create(&working[i], 0, work, 0);
    for (i = 0; i < N; i++)
        pthread_join(working[i], 0);
    assert(count == N);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational,mcr
   expect sc,tso holds -D TICKET engine=operational,mcr
   expect sc,tso holds -D LOOK -D N=3 engine=mcr */
