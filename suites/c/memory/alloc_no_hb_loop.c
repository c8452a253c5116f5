// expect rc11 fail engine=axiomatic
// expect rc11 fail engine=mcr
// expect rc11 fail
// expect sc pass
// The access stands in an iteration that leaves nothing behind: the next one acquires what orders it after the allocation.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *_Atomic p;
static atomic_int is_ready;

static void *allocate(void *unused) {
    atomic_int *made = calloc(1, sizeof *made);
    atomic_store_explicit(&p, made, memory_order_relaxed);
    atomic_store_explicit(made, 1, memory_order_relaxed);
    atomic_store_explicit(&is_ready, 1, memory_order_release);
    return 0;
}

static void *use(void *unused) {
    for (;;) {
        int ready = atomic_load_explicit(&is_ready, memory_order_acquire);
        atomic_int *found = atomic_load_explicit(&p, memory_order_relaxed);
        if (found && atomic_load_explicit(found, memory_order_relaxed) == 1 && ready) break;
    }
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
