#include "queue.h"
#include <assert.h>
#include <pthread.h>
struct node { struct node *next; int b; };
static int count = 40;
static int helper(int x) { return x + LIMIT; }
static queue_t *q;
static struct node own = { 0, 3 };
static void *producer(void *x) { queue_push(q, 5); return x; }
int main(void) {
    q = queue_make();
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    int v = queue_pop(q);
    assert(v == 0 || v == 5);
    pthread_join(t, 0);
    struct depth two = { .count = 2 };
    assert(depth(&two) == 3);
    assert(pushes == 1 && helper(count) == 40 + LIMIT && own.b == 3);
    return 0;
}
