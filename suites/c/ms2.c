/* The two-lock queue of Michael and Scott (PODC 1996): a linked list that starts with a dummy node; one lock for each end,
   so that an enqueue and a dequeue can go on at the same time.

   Fences: store-store 1, data-dependent-loads 1 (CheckFence thesis, appendix B.2). */

#include "lsl_protos.h"

typedef int value_t;

typedef struct node {
    struct node *next;
    value_t value;
} node_t;

typedef struct queue {
    node_t *head; /* the dummy; the node after it is the oldest element */
    node_t *tail;
    lsl_lock_t head_lock;
    lsl_lock_t tail_lock;
} queue_t;

void init_queue(queue_t *queue)
{
    node_t *dummy = lsl_malloc(sizeof(node_t));
    dummy->next = 0;
    dummy->value = 0;
    queue->head = dummy;
    queue->tail = dummy;
    lsl_initlock(&queue->head_lock);
    lsl_initlock(&queue->tail_lock);
}

void enqueue(queue_t *queue, value_t value)
{
    node_t *fresh = lsl_malloc(sizeof(node_t));
    fresh->value = value;
    fresh->next = 0;
    lsl_lock(&queue->tail_lock);
    lsl_fence("store-store"); /* the node's fields before the link to it: a dequeuer may not hold this lock */
    queue->tail->next = fresh;
    queue->tail = fresh;
    lsl_unlock(&queue->tail_lock);
}

boolean_t dequeue(queue_t *queue, value_t *value)
{
    node_t *dummy;
    node_t *first;

    lsl_lock(&queue->head_lock);
    dummy = queue->head;
    first = dummy->next;
    if (first == 0) {
        lsl_unlock(&queue->head_lock);
        return false;
    }
    lsl_fence("data-dependent-loads"); /* the link before the field it leads to */
    *value = first->value;
    queue->head = first;
    lsl_unlock(&queue->head_lock);
    lsl_free(dummy);
    return true;
}

#include "queue_harness.h"

/* What is expected.
   expect relaxed holds test='(e|d)' reference=queue_ref.c
   expect relaxed holds test='(e|e|d|d)'
   expect relaxed holds test='e(ed|de)'
   expect sc holds test='(e|d)' engine=axiomatic,operational,mcr
   expect tso holds test='(e|d)' engine=axiomatic,mcr */
