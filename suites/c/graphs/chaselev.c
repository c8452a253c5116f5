/* The deque of Chase and Lev with the orders of Le, Pop, Cohen and Zappa Nardelli (PPoPP 2013): the owner puts N numbers in and takes
   one out, a thief takes one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif

#define SIZE 16
atomic_int top, bottom, items[SIZE];
void push(int value) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_load_explicit(&top, memory_order_acquire);
    atomic_store_explicit(&items[b % SIZE], value, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}
int take(void) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    int value = 0;
    if (t <= b) {
        value = atomic_load_explicit(&items[b % SIZE], memory_order_relaxed);
        if (t == b) {
            if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
                value = 0;
            atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        }
    } else
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return value;
}
int steal(void) {
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    int value = 0;
    if (t < b) {
        value = atomic_load_explicit(&items[t % SIZE], memory_order_relaxed);
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            return 0;
    }
    return value;
}
int taken, stolen;
void *owner(void *p) {
    for (int i = 1; i <= N; i++)
        push(i);
    taken = take();
    return 0;
}
void *thief(void *p) {
    stolen = steal();
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, owner, 0);
    pthread_create(&two, 0, thief, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!taken || taken != stolen);
    assert(taken == N || stolen == N);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
