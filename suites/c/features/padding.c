/* Bytes that no member has are set and copied with the objects that have them; `#pragma pack`, `alloca`, objects without a name
   outside of functions.

   -D UNSET     the padding was never written.
   -D ESCAPES   memory of `alloca` is used after its function has returned. */
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    short kind;
    int value;
    char text[3];
};

#pragma pack(push, 1)
struct tight {
    char first;
    long second;
};
#pragma pack(pop)

static int *const numbers = (int[]){1, 2, 3};
static char copied[sizeof(struct record)];

static int sum(const void *object, size_t size)
{
    const unsigned char *bytes = object;
    int total = 0;

    for (size_t at = 0; at < size; at++)
        total += bytes[at];
    return total;
}

static void *fill(void *argument)
{
    struct record mine;

#ifndef UNSET
    memset(&mine, 0, sizeof(mine));
#endif
    mine.kind = 1;
    mine.value = 2;
    memset(mine.text, 0, sizeof(mine.text));
    memset(copied, 255, sizeof(copied));
    memcpy(copied, &mine, sizeof(mine));
    return argument;
}

static char *borrow(size_t size)
{
    char *text = alloca(size);

    strcpy(text, "abc");
    assert(strlen(text) == 3);
#ifdef ESCAPES
    return text;
#else
    return strdup(text);
#endif
}

int main(void)
{
    pthread_t thread;
    struct record *zeros = calloc(1, sizeof(*zeros)), other;
    char *text = borrow(sysconf(_SC_PAGESIZE) > 0 ? 4 : 0);

    pthread_create(&thread, NULL, fill, NULL);
    pthread_join(thread, NULL);
    assert(sum(copied, sizeof(copied)) == 3);
    other = *zeros;
    assert(sum(&other, sizeof(other)) == 0);
    assert(sizeof(struct tight) == 9 && numbers[2] == 3);
    assert(text[1] == 'b' && div(7, 2).rem == 1);
    free(text);
    free(zeros);
    return 0;
}

/* What is expected.
   expect sc,tso,rc11 holds
   expect sc,tso holds engine=mcr
   expect sc,rc11 holds engine=axiomatic
   expect sc,rc11 violated -D UNSET
   expect sc,rc11 violated -D ESCAPES */
