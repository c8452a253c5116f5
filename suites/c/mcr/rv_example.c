/* An error that needs several changes of thread: the value 3 of `y` is reached in one way only. */

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *first(void *unused)
{
    int i;

    for (i = 0; i < 2; i++) {
        pthread_mutex_lock(&guard);
        x = 0;
        pthread_mutex_unlock(&guard);
        if (x > 0) {
            y++;
            x = 2;
        }
    }
    return 0;
}

static void *second(void *unused)
{
    int i;

    for (i = 0; i < 2; i++) {
        if (x > 1) {
            assert(y != 3);
            y = 2;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t one, two;
    int i;

    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    for (i = 0; i < 2; i++) {
        pthread_mutex_lock(&guard);
        x = 1;
        y = 1;
        pthread_mutex_unlock(&guard);
    }
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso violated engine=operational,mcr */
