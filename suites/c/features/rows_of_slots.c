// expect rc11 pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect sc pass engine=operational
// expect tso pass engine=mcr
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Slots of threads, padded to a cache line each, before arrays of other members: an index that is computed stays in its array. */

enum { THREADS = 2, SLOTS = 2, MOST = 3 };

struct queue {
    _Atomic(int *) head;
    struct {
        _Atomic(int *) protected[SLOTS];
        char pad[64 - SLOTS * sizeof(void *)];
    } slots[THREADS];
    int *retired[THREADS][MOST];
    int count[THREADS];
};

static struct queue queue;

static void clear(struct queue *q, int thread)
{
    for (int i = 0; i < SLOTS; i++) atomic_store_explicit(&q->slots[thread].protected[i], NULL, memory_order_release);
}

static int is_protected(struct queue *q, int *node)
{
    int found = 0;
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < SLOTS; i++) found |= atomic_load(&q->slots[t].protected[i]) == node;
    return found;
}

static void retire(struct queue *q, int *node, int thread)
{
    q->retired[thread][q->count[thread]++] = node;
}

static void *work(void *number)
{
    int thread = (int) (long) number, *node = atomic_load(&queue.head);
    atomic_store(&queue.slots[thread].protected[0], node);
    clear(&queue, thread);
    retire(&queue, node, thread);
    return NULL;
}

int main(void)
{
    static int node;
    pthread_t threads[THREADS];
    memset(&queue, 0, sizeof queue);
    atomic_store(&queue.head, &node);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *) i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(!is_protected(&queue, &node) && queue.count[0] == 1 && queue.count[1] == 1 && queue.retired[1][0] == &node);
    return 0;
}
