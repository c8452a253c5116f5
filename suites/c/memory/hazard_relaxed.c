// expect rc11 fail
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
static int *_Atomic p; static int *_Atomic hazard; static void *t1(void *x) { int *q = atomic_load_explicit(&p, acq); atomic_store_explicit(&hazard, q, rlx); if (q && atomic_load_explicit(&p, acq) == q) { int v = *q; (void)v; } atomic_store_explicit(&hazard, 0, rel); return 0; } static void *t2(void *x) { int *q = atomic_exchange_explicit(&p, 0, memory_order_acq_rel); if (q && atomic_load_explicit(&hazard, acq) != q) free(q); return 0; }
int main(void) { pthread_t a, b; int *z = malloc(4); *z = 1; p = z; pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
