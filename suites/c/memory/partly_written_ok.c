// expect sc,tso pass engine=operational
// expect sc,rc11 pass engine=mcr,axiomatic
#include <assert.h>
#include <string.h>

/* Only one byte of a union is written, copied along several ways, and read. */

struct value {
    int tag;
    union {
        char small;
        long large;
    } of;
};

static struct value make(char small)
{
    struct value made;
    made.tag = 0;
    made.of.small = small;
    return made;
}

static long read(struct value value)
{
    return value.tag ? value.of.large : value.of.small;
}

int main(void)
{
    struct value one = make(1), other, large = {.tag = 1, .of = {.large = 70000}};
    memcpy(&other, &one, sizeof other);
    assert(read(other) == 1);
    other = large;
    assert(read(other) == 70000);
    return 0;
}
