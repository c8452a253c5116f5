/* What a stack is: the reference for treiber.c. For one operation at a time. */

#include "lsl_protos.h"

#define CAPACITY 16

typedef int value_t;

typedef struct stack {
    value_t element[CAPACITY];
    int count;
} stack_type;

void init_stack(stack_type *stack)
{
    stack->count = 0;
}

void push(stack_type *stack, value_t value, boolean_t allow_retries)
{
    lsl_assert(stack->count < CAPACITY);
    stack->element[stack->count] = value;
    stack->count = stack->count + 1;
}

boolean_t pop(stack_type *stack, value_t *value, boolean_t allow_retries)
{
    if (stack->count == 0)
        return false;
    stack->count = stack->count - 1;
    *value = stack->element[stack->count];
    return true;
}

#include "stack_harness.h"
