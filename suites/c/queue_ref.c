/* What a queue is: the reference for ms2.c and msn.c. For one operation at a time. */

#include "lsl_protos.h"

#define CAPACITY 16

typedef int value_t;

typedef struct queue {
    value_t element[CAPACITY];
    int first; /* index of the oldest element */
    int end;   /* index just past the newest one */
} queue_t;

void init_queue(queue_t *queue)
{
    queue->first = 0;
    queue->end = 0;
}

void enqueue(queue_t *queue, value_t value)
{
    lsl_assert(queue->end < CAPACITY);
    queue->element[queue->end] = value;
    queue->end = queue->end + 1;
}

boolean_t dequeue(queue_t *queue, value_t *value)
{
    if (queue->first == queue->end)
        return false;
    *value = queue->element[queue->first];
    queue->first = queue->first + 1;
    return true;
}

#include "queue_harness.h"
