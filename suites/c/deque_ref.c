/* What a deque is: the reference for snark.c and snark_published.c. For one operation at a time. */

#include "lsl_protos.h"

#define ROOM 16 /* for so many pushes at each end */

typedef int value_t;

typedef struct deque {
    value_t element[2 * ROOM];
    int first; /* index of the leftmost element */
    int end;   /* index just past the rightmost one */
} deque_t;

void init_deque(deque_t *deque)
{
    deque->first = ROOM;
    deque->end = ROOM;
}

void push_left(deque_t *deque, value_t value, boolean_t allow_retries)
{
    lsl_assert(deque->first > 0);
    deque->first = deque->first - 1;
    deque->element[deque->first] = value;
}

void push_right(deque_t *deque, value_t value, boolean_t allow_retries)
{
    lsl_assert(deque->end < 2 * ROOM);
    deque->element[deque->end] = value;
    deque->end = deque->end + 1;
}

boolean_t pop_left(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    if (deque->first == deque->end)
        return false;
    *value = deque->element[deque->first];
    deque->first = deque->first + 1;
    return true;
}

boolean_t pop_right(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    if (deque->first == deque->end)
        return false;
    deque->end = deque->end - 1;
    *value = deque->element[deque->end];
    return true;
}

#include "deque_harness.h"
