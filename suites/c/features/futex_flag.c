/* A futex that waits for a flag, under C11's orders.
   expect rc11,sc,tso holds
   expect rc11 holds engine=axiomatic,mcr
   expect rc11 violated -D RELAXED engine=axiomatic,mcr
   expect rc11,sc,tso violated -D SLEEPS */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int flag; static int data;
static void *waiter(void *x) {
    while (!atomic_load_explicit(&flag, memory_order_acquire)) syscall(SYS_futex, &flag, FUTEX_WAIT, 0, 0, 0, 0);
    assert(data == 42);
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    data = 42;
#ifdef RELAXED
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
#else
    atomic_store_explicit(&flag, 1, memory_order_release);
#endif
#ifndef SLEEPS
    syscall(SYS_futex, &flag, FUTEX_WAKE, 1, 0, 0, 0);
#endif
    pthread_join(t, 0);
    return 0;
}
