/* Data races that buffers of stores bring about: both threads write `guarded` if both see the other's flag down, which no sequentially
   consistent execution shows; and `late` is written by both if the second thread sees two stores in the other order, which only pso shows.
   The flags are relaxed: they order nothing.
   expect sc pass
   expect tso pass
   expect pso pass
   expect rc11 fail */
#include <pthread.h>
#include <stdatomic.h>

atomic_int first_flag, second_flag, one, two;
int guarded, late;

void *first(void *nothing)
{
    atomic_store_explicit(&first_flag, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&second_flag, memory_order_relaxed))
        guarded = 1;
    atomic_store_explicit(&one, 1, memory_order_relaxed);
    atomic_store_explicit(&two, 1, memory_order_relaxed);
    late = 1;
    return 0;
}

void *second(void *nothing)
{
    atomic_store_explicit(&second_flag, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&first_flag, memory_order_relaxed))
        guarded = 2;
    if (atomic_load_explicit(&two, memory_order_relaxed) && !atomic_load_explicit(&one, memory_order_relaxed))
        late = 2;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
