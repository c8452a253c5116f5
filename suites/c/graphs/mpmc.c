/* A bounded queue for several writers and readers, as a ring of slots with sequence numbers (Vyukov): N writers put one number in
   each, one reader takes one out. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

#define SIZE 2
struct slot { atomic_uint turn; int value; };
struct slot slots[SIZE];
atomic_uint head, tail;
void put(int value) {
    unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
    for (;;) {
        struct slot *slot = &slots[at % SIZE];
        unsigned turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        if (turn == at) {
            if (atomic_compare_exchange_weak_explicit(&tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
                slot->value = value;
                atomic_store_explicit(&slot->turn, at + 1, memory_order_release);
                return;
            }
        } else
            at = atomic_load_explicit(&tail, memory_order_relaxed);
    }
}
int take(void) {
    unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
    for (;;) {
        struct slot *slot = &slots[at % SIZE];
        unsigned turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        if (turn == at + 1) {
            if (atomic_compare_exchange_weak_explicit(&head, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
                int value = slot->value;
                atomic_store_explicit(&slot->turn, at + SIZE, memory_order_release);
                return value;
            }
        } else
            at = atomic_load_explicit(&head, memory_order_relaxed);
    }
}
void *writer(void *p) {
    put((int)(long)p + 1);
    return 0;
}
void *reader(void *p) {
    assert(take() > 0);
    return 0;
}
int main(void) {
    pthread_t writers[N], reading;
    for (unsigned i = 0; i < SIZE; i++)
        atomic_store_explicit(&slots[i].turn, i, memory_order_relaxed);
    for (long i = 0; i < N; i++)
        pthread_create(&writers[i], 0, writer, (void *)i);
    pthread_create(&reading, 0, reader, 0);
    for (int i = 0; i < N; i++)
        pthread_join(writers[i], 0);
    pthread_join(reading, 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
