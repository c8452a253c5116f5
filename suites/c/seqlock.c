/* A sequence lock: the reader takes the two data words only if the sequence number was even and did not change meanwhile
   (Boehm, MSPC 2012). It never sees one word of an update without the other.

   -D BROKEN    leave out the reader's fence: the second look at the sequence number may come too early. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence;
static atomic_int left, right;

static void *writer(void *unused)
{
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* odd before the data */
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release); /* the data before even */
    return 0;
}

static void *reader(void *unused)
{
    int before, after, seen_left, seen_right;

    before = atomic_load_explicit(&sequence, memory_order_acquire);
    seen_left = atomic_load_explicit(&left, memory_order_relaxed);
    seen_right = atomic_load_explicit(&right, memory_order_relaxed);
#ifndef BROKEN
    atomic_thread_fence(memory_order_acquire); /* the data before the second look */
#endif
    after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(seen_left == seen_right);
    return 0;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=axiomatic,operational memory-orders=ignored
   expect pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc,tso holds -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11,c11 holds
   expect rc11,c11 violated -D BROKEN
   expect tso,pso holds */
