// expect rc11 pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect tso pass engine=mcr
// expect sc pass engine=operational
// expect pso pass
// expect rc11 fail -D STALE
// expect rc11 fail -D UNSET
// expect rc11 fail -D BEYOND
// `realloc` keeps what both blocks have room for; the old block is freed.
#include <assert.h>
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
struct item { int key; struct item *next; };
static atomic_int done;
static int *table;
static void *use(void *x) { while (!atomic_load_explicit(&done, memory_order_acquire)) {} assert(table[0] == 7 && table[3] == 9); return 0; }
int main(void) {
    __VERIFIER_loop_bound(4);
    table = malloc(2 * sizeof(int));
    table[0] = 7; table[1] = 8;
    table = realloc(table, 4 * sizeof(int));
    assert(table[0] == 7 && table[1] == 8);
    table[2] = 1; table[3] = 9;
    struct item *all = NULL;
    all = realloc(all, sizeof *all);
    all[0].key = 3; all[0].next = all;
    struct item *more = reallocarray(all, 2, sizeof *all);
    assert(more[0].key == 3);
#ifdef STALE
    assert(all[0].key == 3);
#endif
#ifdef UNSET
    assert(more[1].key == 0);
#endif
    more = realloc(more, 1 * sizeof *more);
#ifdef BEYOND
    more[1].key = 2;
#endif
    pthread_t t;
    pthread_create(&t, 0, use, 0);
    atomic_store_explicit(&done, 1, memory_order_release);
    pthread_join(t, 0);
    free(table);
    free(more);
    return 0;
}
