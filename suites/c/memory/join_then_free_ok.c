// expect rc11 pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
static atomic_int *p; static void *t1(void *x) { atomic_fetch_add(p, 1); return 0; } static void *t2(void *x) { atomic_fetch_add_explicit(p, 1, rlx); return 0; }
int main(void) { pthread_t a, b; p = malloc(4); atomic_init(p, 0); pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); assert(*p == 2); free((void *)p); return 0; }
