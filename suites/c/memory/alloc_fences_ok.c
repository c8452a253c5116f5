// expect rc11 pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect rc20 pass engine=mcr
// expect rc11 pass
// Fences order the accesses of the block after its allocation, though the pointer is handed over by relaxed accesses.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic p;

static void *allocate(void *unused) {
    int *made = malloc(sizeof *made);
    *made = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&p, made, memory_order_relaxed);
    return 0;
}

static void *use(void *unused) {
    int *found = atomic_load_explicit(&p, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (found) assert(*found == 42);
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
