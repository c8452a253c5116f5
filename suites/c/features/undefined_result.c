/* What an operation of a bounded test returns or shows must be defined (CheckFence thesis, section 7.1.1). Errors are looked for before
   what is shown: `g` reads through a pointer that may be null, and shows what no serial execution shows, too. */
#include <lsl_protos.h>

int full, content;

void p(void)
{
    content = 1;
    full = 1;
}

/* Returns nothing that is known if the box is empty. */
int r(void)
{
    int value;
    if (full)
        value = content;
    return value;
}

void s(void)
{
    int value;
    if (full)
        value = content;
    lsl_observe_output("value", value);
}

struct cell {
    int value;
};

struct cell cell;
struct cell *place;
int ready;

void a(void)
{
    cell.value = 1;
    place = &cell;
    ready = 1;
}

/* On relaxed the flag may be seen before the pointer. */
int g(void)
{
    if (!ready)
        return -1;
    return place->value;
}

struct cell *other;

void b(void)
{
    struct cell *own = lsl_malloc_noreuse(sizeof(struct cell));
    own->value = 1;
    other = own;
}

/* On relaxed the value may be read before it is written, and is undefined then. */
int v(void)
{
    struct cell *seen = other;
    return seen == 0 ? -1 : seen->value;
}

/* What is expected.
   expect sc violated test='(p|r)' engine=axiomatic,operational,mcr
   expect sc violated test='(p|s)' engine=axiomatic,operational,mcr
   expect sc holds test='p(p|r)' engine=axiomatic,operational,mcr
   expect sc holds test='(a|g)' engine=axiomatic,operational,mcr
   expect relaxed violated test='(a|g)'
   expect sc holds test='(b|v)' engine=axiomatic,operational,mcr
   expect relaxed violated test='(b|v)' */
