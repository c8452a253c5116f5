/* The work-stealing deque of Chase and Lev (SPAA 2005) with the C11 memory orders of Le, Pop, Cohen and Zappa Nardelli
   (PPoPP 2013, figure 1). Deviations: the array has a fixed size and is not grown, an assertion says when a test pushes too
   much; indices are signed, since the published unsigned ones wrap round when the owner takes from a deque that was never
   used; a thief that loses a race tries again. */

#include "lsl_protos.h"
#include <stdatomic.h>

#define CAPACITY 8

typedef int value_t;

typedef struct deque {
    atomic_int top;    /* index of the oldest element: thieves take there */
    atomic_int bottom; /* index just past the newest one: the owner works there */
    atomic_int element[CAPACITY];
} deque_t;

void init_deque(deque_t *deque)
{
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
}

void push(deque_t *deque, value_t value)
{
    int bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    int top = atomic_load_explicit(&deque->top, memory_order_acquire);

    lsl_assert(bottom - top < CAPACITY);
    atomic_store_explicit(&deque->element[bottom % CAPACITY], value, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* the element before the index that shows it */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
}

boolean_t take(deque_t *deque, value_t *value)
{
    int bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    int top;
    boolean_t taken = true;

    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* announce the take before looking for thieves */
    top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    if (top > bottom) {
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
        return false;
    }
    *value = atomic_load_explicit(&deque->element[bottom % CAPACITY], memory_order_relaxed);
    if (top == bottom) { /* the last element: thieves may want it too */
        if (!atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            taken = false;
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    }
    return taken;
}

boolean_t steal(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    int top, bottom;

    while (true) {
        top = atomic_load_explicit(&deque->top, memory_order_acquire);
        atomic_thread_fence(memory_order_seq_cst); /* top before bottom, as the owner does in the other order */
        bottom = atomic_load_explicit(&deque->bottom, memory_order_acquire);
        if (top >= bottom)
            return false;
        *value = atomic_load_explicit(&deque->element[top % CAPACITY], memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            return true;
        lsl_assume(allow_retries);
    }
}

#include "steal_harness.h"

/* What is expected.
   expect rc11 holds test='(p|s)' reference=steal_ref.c
   expect sc,tso holds test='(p|s)' engine=axiomatic,mcr
   expect rc11 holds test='(pt|s)'
   expect c11 holds test='p(t|s)'
   expect tso holds test='(pp|s|s)' engine=axiomatic memory-orders=ignored
   expect relaxed violated test='(pt|s)' */
