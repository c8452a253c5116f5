/* A spin lock for readers and writers: the number of readers, or -1 for a writer. With -D BROKEN a reader leaves by a
   load and a store, which may undo what another reader did in between. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int left, right;

static void *reader(void *unused)
{
    int seen = atomic_load_explicit(&state, memory_order_relaxed);
    do {
        if (seen < 0)
            seen = 0;
    } while (!atomic_compare_exchange_weak_explicit(&state, &seen, seen + 1, memory_order_acquire, memory_order_relaxed));
    assert(left == right);
#ifdef BROKEN
    atomic_store_explicit(&state, atomic_load_explicit(&state, memory_order_relaxed) - 1, memory_order_release);
#else
    atomic_fetch_sub_explicit(&state, 1, memory_order_release);
#endif
    return 0;
}

static void *writer(void *unused)
{
    int none;
    do
        none = 0;
    while (!atomic_compare_exchange_weak_explicit(&state, &none, -1, memory_order_acquire, memory_order_relaxed));
    left = left + 1;
    right = right + 1;
    atomic_store_explicit(&state, 0, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_create(&three, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    assert(left == 1 && right == 1);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=operational memory-orders=ignored
   expect pso violated engine=operational memory-orders=ignored
   expect sc,tso,pso violated -D BROKEN engine=operational memory-orders=ignored
   expect tso,pso holds engine=operational,mcr */
