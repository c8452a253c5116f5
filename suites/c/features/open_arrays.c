// expect rc11 pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect sc pass engine=operational
// expect tso pass engine=mcr
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What an array at the end of an object holds does not meet the members before it. */

struct item {
    _Atomic unsigned lap;
    void *data;
};

struct channel {
    _Atomic _Bool closed;
    size_t capacity;
    _Atomic unsigned long head;
    struct item ring[];
};

static struct channel *channel;
static int value = 9;

static struct channel *make(size_t capacity)
{
    struct channel *made = malloc(sizeof *made + capacity * sizeof(struct item));
    made->closed = 0;
    made->capacity = capacity;
    made->head = 0;
    memset(made->ring, 0, capacity * sizeof(struct item));
    return made;
}

static void *send(void *nothing)
{
    size_t index = atomic_load(&channel->head) % channel->capacity;
    struct item *item = channel->ring + index;
    item->data = &value;
    atomic_store_explicit(&item->lap, 1, memory_order_release);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    channel = make(2);
    pthread_create(&thread, NULL, send, NULL);
    unsigned position = atomic_load(&channel->head);
    struct item *item = channel->ring + position % channel->capacity;
    if (atomic_load_explicit(&item->lap, memory_order_acquire)) assert(*(int *) item->data == 9);
    pthread_join(thread, NULL);
    assert(!channel->closed && atomic_load(&channel->ring[0].lap) == 1 && !channel->ring[1].data);
    free(channel);
    return 0;
}
