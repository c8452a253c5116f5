/* N threads count up, one looks for the last zero; all accesses are sequentially consistent. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

atomic_int array[N + 1];
void *look(void *p) {
    int i;
    for (i = N; array[i] != 0; i--) ;
    return 0;
}
void *work(void *p) {
    int j = (int)(long)p;
    array[j] = array[j - 1] + 1;
    return 0;
}
int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], 0, look, 0);
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr */
