// expect rc11 fail
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
static atomic_int *p; static void *t1(void *x) { free((void *)p); return 0; } static void *t2(void *x) { atomic_store(p, 1); return 0; }
int main(void) { pthread_t a, b; p = malloc(4); atomic_init(p, 0); pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
