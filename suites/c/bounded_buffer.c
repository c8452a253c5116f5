/* A buffer for one number between a producer and a consumer, with a mutex and two condition variables. With -D BROKEN
   the consumer does not look again after it was woken: a wait may end without a signal. */
#include <assert.h>
#include <pthread.h>

#ifdef BROKEN
#define UNTIL if
#else
#define UNTIL while
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int count, number;

static void *produce(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&lock);
        while (count == 1)
            pthread_cond_wait(&emptied, &lock);
        number = i;
        count = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *consume(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&lock);
        UNTIL (count == 0)
            pthread_cond_wait(&filled, &lock);
        assert(number == i);
        count = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, produce, 0);
    pthread_create(&two, 0, consume, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso holds engine=operational memory-orders=ignored
   expect sc,tso,pso violated -D BROKEN engine=operational memory-orders=ignored
   expect tso,pso holds engine=operational,mcr
   expect sc violated -D BROKEN engine=axiomatic */
