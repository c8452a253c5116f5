/* The non-blocking queue of Michael and Scott (PODC 1996), without the counters that it keeps beside its pointers.

   -D REUSE    allocate with lsl_malloc and lsl_free: blocks come back, and without counters the queue then has the ABA
               error, which the test Ti2 finds.

   Fences: load-load 4, store-store 2, aliased-loads 2, data-dependent-loads 1. That is what figure 8.3 of the CheckFence
   thesis counts; its appendix B.3 prints the other seven only. The two aliased-loads fences are put where the thesis has
   them in its other data types: at the end of the retry loop, so that a further round does not read older values than
   the round before. */

#include "lsl_protos.h"

#ifdef REUSE
#define ALLOCATE lsl_malloc
#define RELEASE lsl_free
#else
#define ALLOCATE lsl_malloc_noreuse
#define RELEASE lsl_free_noreuse
#endif

typedef int value_t;

typedef struct node {
    struct node *next;
    value_t value;
} node_t;

typedef struct queue {
    node_t *head; /* the dummy; the node after it is the oldest element */
    node_t *tail; /* the last node, or the one before it while an enqueue is under way */
} queue_t;

void init_queue(queue_t *queue)
{
    node_t *dummy = ALLOCATE(sizeof(node_t));
    dummy->next = 0;
    queue->head = queue->tail = dummy;
}

void enqueue(queue_t *queue, value_t value)
{
    node_t *fresh;
    node_t *last;
    node_t *after;

    fresh = ALLOCATE(sizeof(node_t));
    fresh->value = value;
    fresh->next = 0;
    lsl_fence("store-store"); /* the node's fields before the link to it */
    while (true) {
        last = queue->tail;
        lsl_fence("data-dependent-loads"); /* the tail before the node it leads to */
        after = last->next;
        lsl_fence("load-load"); /* `after` before the tail is read again */
        if (last == queue->tail) {
            if (after == 0) {
                if (lsl_cas_ptr(&last->next, after, fresh))
                    break; /* linked in */
            } else
                lsl_cas_ptr(&queue->tail, last, after); /* the tail lags behind: help */
        }
        lsl_fence("aliased-loads");
    }
    lsl_fence("store-store"); /* the link before the tail that relies on it */
    lsl_cas_ptr(&queue->tail, last, fresh);
}

boolean_t dequeue(queue_t *queue, value_t *value)
{
    node_t *dummy;
    node_t *last;
    node_t *first;

    while (true) {
        dummy = queue->head;
        lsl_fence("load-load"); /* the head before the tail, so that the tail is not behind it */
        last = queue->tail;
        lsl_fence("load-load"); /* the tail before the link */
        first = dummy->next;
        lsl_fence("load-load"); /* all of them before the head is read again, and before the value */
        if (dummy == queue->head) {
            if (dummy == last) {
                if (first == 0)
                    return false;
                lsl_cas_ptr(&queue->tail, last, first); /* the tail lags behind: help */
            } else {
                *value = first->value;
                if (lsl_cas_ptr(&queue->head, dummy, first))
                    break;
            }
        }
        lsl_fence("aliased-loads");
    }
    RELEASE(dummy);
    return true;
}

#include "queue_harness.h"

/* What is expected.
   expect relaxed holds test='(e|d)' reference=queue_ref.c
   expect relaxed holds test='(ee|dd)'
   expect sc holds test='(e|d)' engine=axiomatic,operational,mcr
   expect tso holds test='(e|d)' engine=axiomatic,mcr
   expect sc violated -D REUSE test='e(d|ded)'
   expect relaxed violated -D REUSE test='e(ed|de)'
   expect sc holds test='e(d|ded)' */
