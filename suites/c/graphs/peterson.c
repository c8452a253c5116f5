/* Peterson's lock, sequentially consistent, one round. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flags[2], turn;
int counter;
void *work(void *p) {
    long me = (long)p;
    atomic_store(&flags[me], 1);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&flags[1 - me]) && atomic_load(&turn) == 1 - me) ;
    counter = counter + 1;
    atomic_store(&flags[me], 0);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, (void *)0);
    pthread_create(&two, 0, work, (void *)1);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2);
    return 0;
}

/* What is expected.
   expect rc11,rc20 holds engine=mcr
   expect rc11,rc20 holds engine=axiomatic */
