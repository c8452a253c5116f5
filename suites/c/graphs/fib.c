/* Two threads add to each other's number N times. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int i = 1, j = 1;
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)
void *one(void *p) {
    for (int k = 0; k < N; k++)
        atomic_store_explicit(&i, GET(i) + GET(j), memory_order_relaxed);
    return 0;
}
void *two(void *p) {
    for (int k = 0; k < N; k++)
        atomic_store_explicit(&j, GET(j) + GET(i), memory_order_relaxed);
    return 0;
}
int main(void) {
    int a = 0, b = 1, c;
    for (int k = 0; k < 2 * (N + 1); k++) {
        c = a + b;
        a = b;
        b = c;
    }
    pthread_t first, second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(i <= a && j <= a);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
