// expect rc11 pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
static int *_Atomic p; static void *t1(void *x) { int *q = malloc(4); *q = 1; atomic_store_explicit(&p, q, rel); return 0; } static void *t2(void *x) { int *q = atomic_load_explicit(&p, acq); if (q) { assert(*q == 1); free(q); } return 0; }
int main(void) { pthread_t a, b;  pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
