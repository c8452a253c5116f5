/* The lazy list of Heller, Herlihy, Luchangco, Moir, Scherer and Shavit (OPODIS 2005): a set as a sorted linked list. Add and
   remove lock the two nodes concerned and check them again; removing marks a node before it unlinks it; contains takes no
   lock.

   -D PUBLISHED    leave out the initialisation of `marked` in add, as the published pseudocode does. That fails even on
                   sequentially consistent memory.

   Fences: store-store 1, data-dependent-loads 3 (CheckFence thesis, appendix B.5). */

#include "lsl_protos.h"

typedef int value_t;

typedef struct node {
    struct node *next;
    value_t key;
    lsl_lock_t lock;
    boolean_t marked; /* removed, though perhaps still linked */
} node_t;

typedef struct set {
    node_t *head; /* the least sentinel */
    node_t *tail; /* the greatest sentinel */
} set_t;

void init_set(set_t *set, value_t sentinel_min, value_t sentinel_max)
{
    node_t *node;

    node = lsl_malloc_noreuse(sizeof(node_t));
    node->next = 0;
    node->key = sentinel_max;
    node->marked = false;
    lsl_initlock(&node->lock);
    set->tail = node;

    node = lsl_malloc_noreuse(sizeof(node_t));
    node->next = set->tail;
    node->key = sentinel_min;
    node->marked = false;
    lsl_initlock(&node->lock);
    set->head = node;
}

boolean_t set_contains(set_t *set, value_t key, boolean_t allow_retries)
{
    node_t *current = set->head;

    while (current->key < key) {
        current = current->next;
        lsl_fence("data-dependent-loads"); /* the link before the node's fields */
    }
    if (current->key == key && !current->marked)
        return true;
    else
        return false;
}

/* Locks the node at or after `key` and the one before it. */
void locate(set_t *set, value_t key, node_t **left, node_t **right, boolean_t allow_retries)
{
    node_t *previous;
    node_t *current;

    while (true) {
        previous = set->head;
        current = previous->next;
        lsl_fence("data-dependent-loads"); /* as above */
        while (current->key < key) {
            previous = current;
            current = current->next;
            lsl_fence("data-dependent-loads"); /* as above */
        }
        lsl_lock(&previous->lock);
        lsl_lock(&current->lock);
        if (!previous->marked && !current->marked && previous->next == current) {
            *left = previous;
            *right = current;
            return;
        }
        lsl_assume(allow_retries);
        lsl_unlock(&previous->lock);
        lsl_unlock(&current->lock);
    }
}

boolean_t add_to_set(set_t *set, value_t key, boolean_t allow_retries)
{
    node_t *left;
    node_t *right;
    node_t *entry;
    boolean_t added;

    locate(set, key, &left, &right, allow_retries);
    if (right->key != key) {
        entry = lsl_malloc_noreuse(sizeof(node_t));
        entry->key = key;
        entry->next = right;
#ifndef PUBLISHED
        entry->marked = false;
#endif
        lsl_initlock(&entry->lock);
        lsl_fence("store-store"); /* the node's fields before the link to it */
        left->next = entry;
        added = true;
    } else
        added = false;
    lsl_unlock(&left->lock);
    lsl_unlock(&right->lock);
    return added;
}

boolean_t remove_from_set(set_t *set, value_t key, boolean_t allow_retries)
{
    node_t *left;
    node_t *right;
    node_t *after;
    boolean_t removed;

    locate(set, key, &left, &right, allow_retries);
    if (right->key == key) {
        right->marked = true;
        after = right->next;
        left->next = after;
        removed = true;
    } else
        removed = false;
    lsl_unlock(&left->lock);
    lsl_unlock(&right->lock);
    return removed;
}

#include "set_harness.h"

/* What is expected.
   expect relaxed holds test='(a|c)' reference=set_ref.c
   expect relaxed holds test='(a|r)'
   expect sc holds test='(a|c)' engine=axiomatic,operational,mcr
   expect tso holds test='(a|c)' engine=axiomatic,mcr
   expect sc violated -D PUBLISHED test='(a|c)' engine=axiomatic,operational,mcr
   expect sc violated -D PUBLISHED test='(a|r)' */
