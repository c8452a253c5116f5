#include "queue.h"
#include <stdlib.h>
#define LIMIT 4
static int count_of(queue_t *q);
struct queue { _Atomic int slots[LIMIT]; _Atomic int head, tail; };
struct node { int a; };
_Atomic int pushes;
static int helper(int x) { return twice(x) / 2; }
static int count;
queue_t *queue_make(void) { queue_t *q = calloc(1, sizeof *q); count++; return q; }
void queue_push(queue_t *q, int value) {
    int at = atomic_fetch_add(&q->tail, 1);
    q->slots[at % LIMIT] = helper(value);
    pushes++;
#ifdef FAILS
    if (q->slots[0] == 5) abort();
#endif
}
int queue_pop(queue_t *q) { int at = q->head; int v = q->slots[at % LIMIT]; if (v) q->head = at + 1; return v; }
static int count_of(queue_t *q) { return q->tail - q->head + count; }
int depth(struct depth *of) { return of->count + count; }
