/* Each thread has its own counter and its own error number, and knows who it is.

   -D BROKEN    one counter for all: the second thread finds what the first has counted. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifdef BROKEN
static int counter = 5;
#else
static __thread int counter = 5;
#endif

static pthread_t seen;

static void *count(void *unused)
{
    static _Thread_local int calls;

    counter++;
    calls++;
    errno = EAGAIN;
    seen = pthread_self();
    assert(counter == 6 && calls == 1);
    return 0;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, 0, count, 0);
    pthread_join(first, 0);
    assert(pthread_equal(seen, first));
    pthread_create(&second, 0, count, 0);
    pthread_join(second, 0);
    assert(pthread_equal(seen, second) && !pthread_equal(seen, pthread_self()));
    assert(errno == 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso,rc11 holds
   expect sc,rc11 violated -D BROKEN */
