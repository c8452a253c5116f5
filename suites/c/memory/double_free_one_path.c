// expect rc11 fail
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
static int *p; static atomic_int f; static void *t1(void *x) { free(p); atomic_store_explicit(&f, 1, rel); return 0; } static void *t2(void *x) { if (atomic_load_explicit(&f, acq)) free(p); return 0; }
int main(void) { pthread_t a, b; p = malloc(4); pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
