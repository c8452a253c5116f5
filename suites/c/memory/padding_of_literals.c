// expect rc11 pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect sc pass engine=operational
// expect tso pass engine=mcr
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

/* Padding that was never written is copied with its object, also where bytes of one of both are accessed in parts: here, as far as is
   known, through a pointer that has a tag. */

struct node {
    uint32_t magic;
    uintptr_t next;
};

static struct node *make(struct node *next)
{
    struct node *node = malloc(sizeof *node);
    *node = (struct node){.magic = 7, .next = (uintptr_t) next};
    return node;
}

static void destroy(struct node *node)
{
    assert(node->magic == 7);
    free(node);
}

int main(void)
{
    struct node *last = make(NULL), *first = make(last);
    int *count = malloc(sizeof *count);
    *count = 2;
    first->next |= 1;
    uintptr_t next = first->next;
    if (next & 1) next = (uintptr_t) first->next & ~(uintptr_t) 1;
    if (!(first->next & 1)) destroy((struct node *) first->next);
    destroy((struct node *) next);
    destroy(first);
    assert(*count == 2);
    free(count);
    return 0;
}
