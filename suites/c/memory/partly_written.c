// expect sc,tso violated engine=operational
// expect sc,rc11 violated engine=mcr,axiomatic
#include <assert.h>

/* Only one byte of a union is written. A copy of it has no more: its number was never written, whoever copies. */

union word {
    char first;
    int number;
};

static int read_number(union word copied)
{
    return copied.number;
}

int main(void)
{
    union word one, other;
    one.first = 1;
    other = one;
    assert(other.first == 1);
    assert(read_number(other) == 1);
    return 0;
}
