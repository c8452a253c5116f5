// expect tso pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect sc,tso,pso pass engine=operational
// expect rc11 fail -D NEIGHBOURS
// expect rc11 fail -D NEIGHBOURS engine=axiomatic
// expect rc11 fail -D FAR_NEIGHBOURS
// expect rc11 pass -D SEPARATE
// expect sc fail -D WRAPS engine=operational
// expect tso fail -D FREED engine=axiomatic
// Bit-fields, laid out as GCC has it on x86-64. Those that follow each other are one memory location, which a member of width 0 ends.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN, BLUE };
struct flags { unsigned a : 1; unsigned b : 3; int c : 5; bool marked : 1; enum colour colour : 2; };
struct split { char x; int y : 7; int z : 20; };
struct apart { int a : 3; int : 0; int b : 3; };
struct __attribute__((packed)) tight { unsigned a : 3; unsigned b : 31; char c; };
struct far { uint64_t a : 40; uint64_t b : 40; };
union word { uint32_t raw; struct { uint32_t count : 16; uint32_t tag : 16; }; };

_Static_assert(sizeof(struct flags) == 4, "");
_Static_assert(sizeof(struct split) == 8, "");
_Static_assert(sizeof(struct apart) == 8, "");
_Static_assert(sizeof(struct tight) == 6, "");

static struct flags global = { .b = 5, .c = -3, .colour = BLUE };
static struct apart apart;
static struct far far;
static _Atomic uint32_t word;

static void layout(void)
{
    struct tight tight = { 5, 0x7ffffffe, 'x' };
    unsigned char bytes[sizeof tight];
    memcpy(bytes, &tight, sizeof tight);
    assert(bytes[0] == 0xf5 && bytes[4] == 3 && bytes[5] == 'x');
    assert(tight.a == 5 && tight.b == 0x7ffffffe);
    tight.b++;
    assert(tight.b == 0x7fffffff && tight.a == 5 && tight.c == 'x');
}

static void values(void)
{
    assert(global.a == 0 && global.b == 5 && global.c == -3 && !global.marked && global.colour == BLUE);
    global.b += 4;
    global.marked = 2;
    global.c--;
    assert(global.b == 1 && global.marked == 1 && global.c == -4 && (global.a = 3) == 1);
    struct flags copy = global;
    assert(copy.b == 1 && copy.a == 1 && -copy.b < 0);
}

static void *count(void *is_other)
{
    union word old, new;
    old.raw = atomic_load(&word);
    do {
        new = old;
        new.count++;
        new.tag--;
    } while (!atomic_compare_exchange_strong(&word, &old.raw, new.raw));
    if (is_other) {
#if defined NEIGHBOURS
        global.a = 0;
#elif defined FAR_NEIGHBOURS
        far.a = 1;
#elif defined SEPARATE
        apart.a = 1;
#endif
    }
    return 0;
}

int main(void)
{
    layout();
    values();
    pthread_t other;
    pthread_create(&other, 0, count, &other);
#if defined NEIGHBOURS
    global.b = 7;
#elif defined FAR_NEIGHBOURS
    far.b = 1;
#elif defined SEPARATE
    apart.b = 1;
#endif
    count(0);
    pthread_join(other, 0);
    union word last = { word };
    assert(last.count == 2 && last.tag == 65534);
#ifdef WRAPS
    last.count--;
    last.count -= 2;
    assert(last.count < 2);
#endif
#ifdef FREED
    struct flags *block = malloc(sizeof *block);
    free(block);
    block->a = 1;
#endif
    return 0;
}
