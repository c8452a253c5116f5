/* The read-write lock of older Linux kernels: a word that readers lower by one and writers by BIAS, and raise again when they
   came too late. N readers and one writer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 1
#endif

#define BIAS 0x100000
atomic_int word = BIAS;
int data;
void read_lock(void) {
    int seen = atomic_fetch_sub_explicit(&word, 1, memory_order_acquire);
    while (seen <= 0) {
        atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
        while (atomic_load_explicit(&word, memory_order_relaxed) <= 0) ;
        seen = atomic_fetch_sub_explicit(&word, 1, memory_order_acquire);
    }
}
void write_lock(void) {
    int seen = atomic_fetch_sub_explicit(&word, BIAS, memory_order_acquire);
    while (seen != BIAS) {
        atomic_fetch_add_explicit(&word, BIAS, memory_order_relaxed);
        while (atomic_load_explicit(&word, memory_order_relaxed) != BIAS) ;
        seen = atomic_fetch_sub_explicit(&word, BIAS, memory_order_acquire);
    }
}
void *reader(void *p) {
    read_lock();
    int seen = data;
    atomic_fetch_add_explicit(&word, 1, memory_order_release);
    return 0;
}
void *writer(void *p) {
    write_lock();
    data = data + 1;
    atomic_fetch_add_explicit(&word, BIAS, memory_order_release);
    return 0;
}
int main(void) {
    pthread_t readers[N], writing;
    for (int i = 0; i < N; i++)
        pthread_create(&readers[i], 0, reader, 0);
    pthread_create(&writing, 0, writer, 0);
    for (int i = 0; i < N; i++)
        pthread_join(readers[i], 0);
    pthread_join(writing, 0);
    assert(data == 1);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
