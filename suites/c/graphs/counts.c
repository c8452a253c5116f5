/* The count of a shared pointer: one thread copies and drops it N times and then drops its own, another drops its own; who drops the
   last one frees the object. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int count = 2;
int object = 1;
void drop(void) {
    if (atomic_fetch_sub_explicit(&count, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        assert(object == 1);
        object = 0;
    }
}
void *copier(void *p) {
    for (int i = 0; i < N; i++) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
        drop();
    }
    drop();
    return 0;
}
void *dropper(void *p) {
    drop();
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, copier, 0);
    pthread_create(&two, 0, dropper, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(object == 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
