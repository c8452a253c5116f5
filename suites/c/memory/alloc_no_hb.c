// expect rc11 fail engine=axiomatic
// expect rc11 fail engine=mcr
// expect rc20 fail engine=axiomatic
// expect rc20 fail engine=mcr
// expect rc11 fail
// expect sc pass
// expect tso pass
// expect pso pass
// Nothing orders the store through `p` after the allocation: the pointer is handed over by relaxed accesses.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *_Atomic p;

static void *allocate(void *unused) {
    atomic_int *made = malloc(sizeof *made);
    atomic_store_explicit(&p, made, memory_order_relaxed);
    return 0;
}

static void *use(void *unused) {
    atomic_int *found = atomic_load_explicit(&p, memory_order_relaxed);
    if (found) atomic_store(found, 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, allocate, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
