/* A mutex on a futex (Drepper, Futexes Are Tricky, 2011): 0 is free, 1 held, 2 held and perhaps waited for.

   -D BROKEN    who unlocks wakes nobody. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int state;
static int counter;

static void lock(void)
{
    int seen = 0;

    if (atomic_compare_exchange_strong(&state, &seen, 1))
        return;
    if (seen != 2)
        seen = atomic_exchange(&state, 2);
    while (seen != 0) {
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
        seen = atomic_exchange(&state, 2);
    }
}

static void unlock(void)
{
#ifdef BROKEN
    atomic_store(&state, 0);
#else
    if (atomic_exchange(&state, 0) == 2)
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
#endif
}

static void *count(void *unused)
{
    lock();
    counter++;
    unlock();
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, count, 0);
    pthread_create(&two, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2);
    return 0;
}

/* What is expected.
   expect sc,tso,rc11 holds
   expect rc11 holds engine=mcr
   expect sc,tso,rc11 violated -D BROKEN */
