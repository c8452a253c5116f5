// expect rc11 pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
static int *_Atomic p; static int *_Atomic hazard; static void *t1(void *x) { int *q = atomic_load(&p); atomic_store(&hazard, q); if (q && atomic_load(&p) == q) { int v = *q; (void)v; } atomic_store(&hazard, 0); return 0; } static void *t2(void *x) { int *q = atomic_exchange(&p, 0); if (q && atomic_load(&hazard) != q) free(q); return 0; }
int main(void) { pthread_t a, b; int *z = malloc(4); *z = 1; p = z; pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
