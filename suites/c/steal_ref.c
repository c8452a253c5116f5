/* What a work-stealing deque is: the reference for chase_lev.c. For one operation at a time. */

#include "lsl_protos.h"

#define CAPACITY 16

typedef int value_t;

typedef struct deque {
    value_t element[CAPACITY];
    int oldest; /* index of the oldest element */
    int end;    /* index just past the newest one */
} deque_t;

void init_deque(deque_t *deque)
{
    deque->oldest = 0;
    deque->end = 0;
}

void push(deque_t *deque, value_t value)
{
    lsl_assert(deque->end < CAPACITY);
    deque->element[deque->end] = value;
    deque->end = deque->end + 1;
}

boolean_t take(deque_t *deque, value_t *value)
{
    if (deque->oldest == deque->end)
        return false;
    deque->end = deque->end - 1;
    *value = deque->element[deque->end];
    return true;
}

boolean_t steal(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    if (deque->oldest == deque->end)
        return false;
    *value = deque->element[deque->oldest];
    deque->oldest = deque->oldest + 1;
    return true;
}

#include "steal_harness.h"
