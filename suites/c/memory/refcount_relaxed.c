// expect rc11 fail
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
struct o { atomic_int n; int v; }; static struct o *p; static void put(void) { if (atomic_fetch_sub_explicit(&p->n, 1, rlx) == 1) free(p); } static void *t1(void *x) { int v = p->v; (void)v; put(); return 0; } static void *t2(void *x) { int v = p->v; (void)v; put(); return 0; }
int main(void) { pthread_t a, b; p = malloc(sizeof *p); atomic_init(&p->n, 2); p->v = 1; pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
