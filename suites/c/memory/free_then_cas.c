// expect rc11 fail
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
struct n { struct n *_Atomic next; }; static struct n *_Atomic top; static void *t1(void *x) { struct n *t; do { t = atomic_load(&top); if (!t) return 0; } while (!atomic_compare_exchange_strong(&top, &t, atomic_load(&t->next))); free(t); return 0; } static void *t2(void *x) { return t1(x); }
int main(void) { pthread_t a, b; struct n *z = malloc(sizeof *z); atomic_init(&z->next, 0); top = z; pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
