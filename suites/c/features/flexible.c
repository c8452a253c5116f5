/* Structs that end in an array of any length, copied and grown as a whole: what stands behind the struct are elements of the array.

   -D BEYOND    an element behind the last one. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct numbers {
    size_t count;
    int each[];
};

struct tight {
    int count;
    int each[0];
};

int main(void)
{
    size_t bytes = sizeof(struct numbers) + 2 * sizeof(int);
    struct numbers *one = malloc(bytes), *other = malloc(bytes);
    one->count = 2;
    one->each[0] = 1;
    one->each[1] = 2;
    memcpy(other, one, bytes);
    assert(other->count == 2 && other->each[0] == 1 && other->each[1] == 2);
    one = realloc(one, bytes + 2 * sizeof(int));
    one->each[3] = 4;
    assert(one->count == 2 && one->each[0] == 1 && one->each[1] == 2 && one->each[3] == 4);
    memset(other, 0, bytes);
    assert(other->count == 0 && other->each[1] == 0 && memcmp(other, one, bytes) < 0);
#ifdef BEYOND
    other->each[2] = 1;
#endif

    struct tight *tight = calloc(1, sizeof *tight + 3 * sizeof(int));
    tight->count = 3;
    tight->each[2] = 9;
    tight = realloc(tight, sizeof *tight + 4 * sizeof(int));
    assert(tight->count == 3 && tight->each[0] == 0 && tight->each[2] == 9);
    free(one);
    free(other);
    free(tight);
    return 0;
}

/* What is expected.
   expect rc11 holds
   expect sc,tso,pso holds engine=operational
   expect sc violated -D BEYOND engine=axiomatic,operational,mcr */
