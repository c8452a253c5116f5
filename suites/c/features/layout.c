/* Packed and aligned members: where they lie, and that threads write beside each other.

   -D BROKEN    both threads write the same packed member. */
#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

struct __attribute__((packed)) header {
    uint8_t kind;
    uint32_t length;
};

struct slot {
    alignas(64) int value;
    char tag;
};

typedef struct {
    char lead;
    int late __attribute__((aligned(32)));
    uint16_t near __attribute__((packed));
} __attribute__((__aligned__(16))) mixed;

struct nested {
    char first;
    struct {
        char a;
        long b;
    } __attribute__((packed)) inner;
    char tail[];
};

_Static_assert(sizeof(struct header) == 5 && offsetof(struct header, length) == 1, "packed");
_Static_assert(sizeof(struct slot) == 64 && alignof(struct slot) == 64, "a line");
_Static_assert(sizeof(mixed) == 64 && offsetof(mixed, near) == 36, "mixed");
_Static_assert(sizeof(struct nested) == 10 && offsetof(struct nested, tail) == 10, "nested");

static struct header headers[2];
static struct slot slots[2];

static void *fill(void *argument)
{
    long me = (long)argument;

#ifdef BROKEN
    headers[0].length = (uint32_t)me;
#else
    headers[me].length = (uint32_t)(me + 7);
#endif
    slots[me].value = 3;
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, fill, (void *)0);
    pthread_create(&second, NULL, fill, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(headers[0].length == 7 && headers[1].length == 8);
    assert((char *)&slots[1] - (char *)&slots[0] == 64 && slots[1].value == 3);
    return 0;
}

/* What is expected.
   expect sc,tso,pso,rc11 holds
   expect sc,tso holds engine=mcr
   expect rc11 holds engine=axiomatic
   expect sc,rc11 violated -D BROKEN */
