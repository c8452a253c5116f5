// expect sc,tso pass engine=operational
// expect sc,rc11 pass engine=mcr,axiomatic
// expect sc violated engine=operational,mcr,axiomatic -D USED
#include <assert.h>
#include <stddef.h>

/* A program copies an object byte by byte, with padding that was never written. To use that would be an error. */

struct node {
    char kind;
    int number;
};

static void copy(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    while (count--) *target++ = *source++;
}

int main(void)
{
    struct node one = {1, 2}, other;
    copy(&other, &one, sizeof other);
    assert(other.kind == 1 && other.number == 2);
#ifdef USED
    if (((unsigned char *) &other)[2]) return 1;
#endif
    return 0;
}
