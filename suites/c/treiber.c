/* The stack of Treiber (1986) with C11 atomics.

   -D REUSE    allocate with lsl_malloc and lsl_free: blocks come back, and the stack then has the ABA error.

   The memory orders are the weakest that suffice. A push releases its node; a pop acquires it when it reads the top. The
   swap of a pop can be relaxed: it continues the release sequence of the pushes below it. The node's fields are plain, since
   nobody writes them after the push. */

#include "lsl_protos.h"
#include <stdatomic.h>

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

typedef struct stack {
    node_t *_Atomic top;
} stack_type;

void init_stack(stack_type *stack)
{
    atomic_init(&stack->top, 0);
}

void push(stack_type *stack, value_t value, boolean_t allow_retries)
{
    node_t *fresh = ALLOCATE(sizeof(node_t));
    node_t *top = atomic_load_explicit(&stack->top, memory_order_relaxed);

    fresh->value = value;
    while (true) {
        fresh->next = top;
        if (atomic_compare_exchange_strong_explicit(&stack->top, &top, fresh, memory_order_release,
                                                    memory_order_relaxed))
            return;
        lsl_assume(allow_retries);
    }
}

boolean_t pop(stack_type *stack, value_t *value, boolean_t allow_retries)
{
    node_t *top;

    while (true) {
        top = atomic_load_explicit(&stack->top, memory_order_acquire);
        if (top == 0)
            return false;
        if (atomic_compare_exchange_strong_explicit(&stack->top, &top, top->next, memory_order_relaxed,
                                                    memory_order_relaxed))
            break;
        lsl_assume(allow_retries);
    }
    *value = top->value;
    RELEASE(top);
    return true;
}

#include "stack_harness.h"

/* What is expected.
   expect rc11 holds test='(p|o)' reference=stack_ref.c
   expect sc,tso,pso holds test='(p|o)' engine=axiomatic,mcr */
