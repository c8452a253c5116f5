// expect pso fail engine=axiomatic
// expect pso fail engine=operational
// expect pso fail engine=mcr
// expect pso fail
// expect tso pass engine=axiomatic
// expect tso pass engine=operational
// expect sc pass
// expect rc11 fail
// On pso the store to the block may arrive after the flag, and so after the free.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *block;
static atomic_int is_done;

static void *use(void *unused) {
    atomic_store_explicit(block, 1, memory_order_relaxed);
    atomic_store_explicit(&is_done, 1, memory_order_relaxed);
    return 0;
}

static void *give_back(void *unused) {
    if (atomic_load_explicit(&is_done, memory_order_relaxed)) free(block);
    return 0;
}

int main(void) {
    block = malloc(sizeof *block);
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, give_back, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
