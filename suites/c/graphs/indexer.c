/* N threads put four entries each into a table by hashing (Flanagan, Godefroid, POPL 2005). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
#define SIZE 128
#define MAX 4
atomic_int table[SIZE];
void *work(void *p) {
    int tid = (int)(long)p;
    for (int m = 0; m < MAX; ) {
        int w = ++m * 11 + tid;
        int h = (w * 7) % SIZE;
        int expected = 0;
        while (!atomic_compare_exchange_strong(&table[h], &expected, w)) {
            h = (h + 1) % SIZE;
            expected = 0;
        }
    }
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
