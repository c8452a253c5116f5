/* A ring buffer for one producer and one consumer: each writes one index and reads the other. Three numbers go through
   a buffer of two. With -D BROKEN the producer announces a number by a relaxed store, before it may be there. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ANNOUNCE memory_order_relaxed
#else
#define ANNOUNCE memory_order_release
#endif

#define SIZE 2
#define COUNT 3

static int buffer[SIZE];
static atomic_uint head;
static atomic_uint tail;

static void put(int number)
{
    unsigned end = atomic_load_explicit(&tail, memory_order_relaxed);
    while (atomic_load_explicit(&head, memory_order_acquire) + SIZE == end)
        ;
    buffer[end % SIZE] = number;
    atomic_store_explicit(&tail, end + 1, ANNOUNCE);
}

static int get(void)
{
    int number;
    unsigned start = atomic_load_explicit(&head, memory_order_relaxed);
    while (atomic_load_explicit(&tail, memory_order_acquire) == start)
        ;
    number = buffer[start % SIZE];
    atomic_store_explicit(&head, start + 1, memory_order_release);
    return number;
}

static void *producer(void *unused)
{
    for (int i = 1; i <= COUNT; i++)
        put(i);
    return 0;
}

static void *consumer(void *unused)
{
    for (int i = 1; i <= COUNT; i++)
        assert(get() == i);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, producer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=axiomatic,operational memory-orders=ignored
   expect pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc,tso holds -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11 holds
   expect rc11 violated -D BROKEN
   expect tso,pso holds */
