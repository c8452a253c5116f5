/* The non-blocking list of Harris (DISC 2001): a set as a sorted linked list. The pointer to a node's successor carries a mark
   in its lowest bit; a node whose successor pointer is marked is removed, and whoever finds it may unlink it.

   The functions lsl_make_mpointer, lsl_get_mpointer_* and lsl_set_mpointer_* are known by their names: Palisade takes a
   marked pointer for a pair in one memory cell and does not read their bodies.

   Fences: store-store 1, aliased-loads 3, data-dependent-loads 2 (CheckFence thesis, appendix B.4). */

#include "lsl_protos.h"
#include <stdint.h>

typedef int value_t;

/* A pointer to a node and a mark in one word. */
typedef void *mpointer_t;

typedef struct node {
    mpointer_t next;
    value_t key;
} node_t;

typedef struct set {
    mpointer_t head; /* the least sentinel */
    mpointer_t tail; /* the greatest sentinel */
} set_t;

static inline mpointer_t lsl_make_mpointer(node_t *ptr, boolean_t marked)
{
    return (mpointer_t)((uintptr_t)ptr | (uintptr_t)marked);
}

static inline node_t *lsl_get_mpointer_ptr(mpointer_t mpointer)
{
    return (node_t *)((uintptr_t)mpointer & ~(uintptr_t)1);
}

static inline boolean_t lsl_get_mpointer_marked(mpointer_t mpointer)
{
    return (boolean_t)((uintptr_t)mpointer & 1);
}

static inline mpointer_t lsl_set_mpointer_ptr(mpointer_t mpointer, node_t *ptr)
{
    return (mpointer_t)((uintptr_t)ptr | ((uintptr_t)mpointer & 1));
}

static inline mpointer_t lsl_set_mpointer_marked(mpointer_t mpointer, boolean_t marked)
{
    return (mpointer_t)(((uintptr_t)mpointer & ~(uintptr_t)1) | (uintptr_t)marked);
}

void init_set(set_t *set, value_t sentinel_min, value_t sentinel_max)
{
    node_t *node;

    node = lsl_malloc_noreuse(sizeof(node_t));
    node->next = lsl_make_mpointer(0, false);
    node->key = sentinel_max;
    set->tail = lsl_make_mpointer(node, false);

    node = lsl_malloc_noreuse(sizeof(node_t));
    node->next = set->tail;
    node->key = sentinel_min;
    set->head = lsl_make_mpointer(node, false);
}

/* Finds the first node that is not removed and whose key is not less than `key`; `left` gets the node before it. Removed
   nodes between the two are unlinked. */
mpointer_t search(set_t *set, value_t key, mpointer_t *left, boolean_t allow_retries)
{
    mpointer_t left_next, right, at, at_next;

    do {
        at = set->head;
        at_next = lsl_get_mpointer_ptr(set->head)->next;
        *left = at; /* the head is never removed */
        left_next = at_next;

        /* First: walk to the right node and remember the last unmarked one before it. */
        do {
            if (!lsl_get_mpointer_marked(at_next)) {
                *left = at;
                left_next = at_next;
            }
            at = lsl_set_mpointer_marked(at_next, false);
            if (at == set->tail)
                break;
            lsl_fence("data-dependent-loads"); /* the link before the node's fields */
            at_next = lsl_get_mpointer_ptr(at)->next;
        } while (lsl_get_mpointer_marked(at_next) || lsl_get_mpointer_ptr(at)->key < key);
        right = at;
        lsl_fence("data-dependent-loads"); /* as above */

        if (left_next == right) {
            /* Second: if the two are neighbours, that is it. */
            if (right == set->tail || !lsl_get_mpointer_marked(lsl_get_mpointer_ptr(right)->next))
                return right;
            lsl_assume(allow_retries);
        } else if (lsl_cas_ptr(&lsl_get_mpointer_ptr(*left)->next, left_next, right)) {
            /* Third: unlink the removed nodes between them. */
            if (right == set->tail || !lsl_get_mpointer_marked(lsl_get_mpointer_ptr(right)->next))
                return right;
        }
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    } while (true);
}

boolean_t set_contains(set_t *set, value_t key, boolean_t allow_retries)
{
    mpointer_t right, left;

    right = search(set, key, &left, allow_retries);
    if (right == set->tail || lsl_get_mpointer_ptr(right)->key != key)
        return false;
    else
        return true;
}

boolean_t add_to_set(set_t *set, value_t key, boolean_t allow_retries)
{
    mpointer_t fresh, right, left;

    fresh = lsl_make_mpointer(lsl_malloc_noreuse(sizeof(node_t)), false);
    lsl_get_mpointer_ptr(fresh)->key = key;

    do {
        right = search(set, key, &left, allow_retries);
        if (right != set->tail && lsl_get_mpointer_ptr(right)->key == key)
            return false;
        lsl_get_mpointer_ptr(fresh)->next = right;
        lsl_fence("store-store"); /* the node's fields before the link to it */
        if (lsl_cas_ptr(&lsl_get_mpointer_ptr(left)->next, right, fresh))
            return true;
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    } while (true);
}

boolean_t remove_from_set(set_t *set, value_t key, boolean_t allow_retries)
{
    mpointer_t right, right_next, left;

    do {
        right = search(set, key, &left, allow_retries);
        if (right == set->tail || lsl_get_mpointer_ptr(right)->key != key)
            return false;
        right_next = lsl_get_mpointer_ptr(right)->next;
        if (!lsl_get_mpointer_marked(right_next))
            if (lsl_cas_ptr(&lsl_get_mpointer_ptr(right)->next, right_next,
                            lsl_set_mpointer_marked(right_next, true)))
                break; /* marked: from here on it is removed */
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    } while (true);

    /* Unlinking is a courtesy; searching again does it where the swap fails. */
    if (allow_retries) {
        if (!lsl_cas_ptr(&lsl_get_mpointer_ptr(left)->next, right, right_next))
            right = search(set, lsl_get_mpointer_ptr(right)->key, &left, allow_retries);
    }
    return true;
}

#include "set_harness.h"

/* What is expected.
   expect relaxed holds test='(a|c)' reference=set_ref.c
   expect relaxed holds test='(a|r)'
   expect sc holds test='(a|c)' engine=axiomatic,operational,mcr
   expect tso holds test='(a|c)' engine=axiomatic,mcr */
