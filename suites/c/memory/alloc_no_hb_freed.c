// expect rc11 fail engine=axiomatic
// expect rc11 fail engine=mcr
// expect rc11 fail
// Another block is freed, and this one never.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *_Atomic p;

static void *allocate(void *unused) {
    int *other = malloc(8);
    free(other);
    atomic_int *made = calloc(1, sizeof *made);
    atomic_store_explicit(&p, made, memory_order_release);
    return 0;
}

static void *use(void *unused) {
    atomic_int *found = atomic_load_explicit(&p, memory_order_relaxed);
    if (found) atomic_fetch_add(found, 1);
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
