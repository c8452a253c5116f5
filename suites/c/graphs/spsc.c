/* A ring for one writer and one reader: N numbers go through a ring of two. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

#define SIZE 2
int ring[SIZE];
atomic_uint head, tail;
void *writer(void *p) {
    for (unsigned i = 0; i < N; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == SIZE) ;
        ring[i % SIZE] = (int)i + 1;
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return 0;
}
void *reader(void *p) {
    for (unsigned i = 0; i < N; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i) ;
        assert(ring[i % SIZE] == (int)i + 1);
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
