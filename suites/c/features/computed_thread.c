/* Threads whose functions are only known when they start.

   -D BROKEN    the second thread is one that takes away too much. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int number;

static void *up(void *by) { return (void *)(long)atomic_fetch_add(&number, *(int *)by); }
static void *down(void *by) { return (void *)(long)atomic_fetch_sub(&number, *(int *)by); }

struct task {
    void *(*run)(void *);
    int by;
};

#ifdef BROKEN
static struct task tasks[] = { { up, 3 }, { down, 5 } };
#else
static struct task tasks[] = { { up, 3 }, { down, 2 } };
#endif

int main(void)
{
    pthread_t threads[2];
    void *before;

    for (int task = 0; task < 2; task++)
        pthread_create(&threads[task], NULL, tasks[task].run, &tasks[task].by);
    pthread_join(threads[0], &before);
    pthread_join(threads[1], NULL);
    assert(number == 1 && ((long)before == 0 || (long)before == -2));
    return 0;
}

/* What is expected.
   expect sc,tso,rc11 holds
   expect sc holds engine=mcr
   expect sc,rc11 violated -D BROKEN */
