/* N threads each mark the element of an array that a counter names; the counter goes up before each is started (after pthread/sigma of
   SV-COMP, with relaxed atomic accesses). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int array[N + 1], place;
void *marker(void *p) {
    int at = atomic_load_explicit(&place, memory_order_relaxed);
    atomic_store_explicit(&array[at], 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t marking[N];
    for (int i = 0; i < N; i++) {
        atomic_store_explicit(&place, i + 1, memory_order_relaxed);
        pthread_create(&marking[i], 0, marker, 0);
    }
    for (int i = 0; i < N; i++)
        pthread_join(marking[i], 0);
    int sum = 0;
    for (int i = 0; i <= N; i++)
        sum += atomic_load_explicit(&array[i], memory_order_relaxed);
    assert(1 <= sum && sum <= N);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
