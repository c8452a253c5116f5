/* Functions that call themselves in bounded tests (CheckFence thesis, section 4.5.1): a list is walked by recursion. With ENDLESS
   the walk goes in a circle. */
#include <lsl_protos.h>

struct node {
    int value;
    struct node *next;
};

struct node *first;

void i(void)
{
    first = 0;
}

void p(void)
{
    struct node *node = lsl_malloc_noreuse(sizeof(struct node)), *before;
    int done;
    node->value = lsl_nondet(1, 2);
    lsl_observe_input("value", node->value);
    do {
        before = first;
        node->next = before;
        lsl_fence("store-store");
        done = lsl_cas_ptr(&first, before, node);
    } while (!done);
}

static int sum(struct node *node)
{
#ifdef ENDLESS
    return sum(node) + 1;
#endif
    if (node == 0)
        return 0;
#ifndef UNFENCED
    lsl_fence("data-dependent-loads");
#endif
    return node->value + sum(node->next);
}

int s(void)
{
    return sum(first);
}

/* Down from a number that is not known: deeper than is looked at. */
static int down(int number)
{
    return number <= 0 ? 0 : 1 + down(number - 1);
}

int depth;

int w(void)
{
    return down(depth);
}

void t(void)
{
    depth = lsl_nondet(0, 40);
}

/* What is expected.
   expect sc holds test='(p|ps)' engine=axiomatic,operational,mcr
   expect relaxed holds test='p(p|s)'
   expect relaxed violated test='(p|s)' -D UNFENCED
   expect sc unknown test='(p|s)' -D ENDLESS
   expect relaxed unknown test='(t|w)'
   expect sc holds test='(t|w)' engine=operational,mcr */
