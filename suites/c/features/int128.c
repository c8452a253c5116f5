// expect sc,tso pass engine=operational
// expect sc,tso pass engine=axiomatic
// expect sc,tso pass engine=mcr
// expect rc11 pass -D ALONE
// expect tso fail -D TORN
// Integers of 128 bits: a counter that two threads raise, read as a pair of words, and a pointer that stays one in such a word.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 wide;
union pair { wide whole; struct { void *low; uint64_t high; }; };

static wide counter;
static union pair slot;

static void *raise(void *unused)
{
    wide old = 0, seen;
    for (;;) {
        wide next = old + (((wide)1 << 64) | 1);
#ifdef TORN
        ((uint64_t *)&counter)[0]++;
        ((uint64_t *)&counter)[1]++;
        break;
#endif
        seen = __sync_val_compare_and_swap(&counter, old, next);
        if (seen == old)
            break;
        old = seen;
    }
    return NULL;
}

static void arithmetic(void)
{
    wide a = ((wide)5 << 64) | 7, b = a - 8;
    assert((uint64_t)a == 7 && (uint64_t)(a >> 64) == 5);
    assert((uint64_t)b == UINT64_MAX && (uint64_t)(b >> 64) == 4 && b < a && a > b && a != b);
    __int128 negative = -1;
    assert(negative < 0 && (uint64_t)(negative >> 100) == UINT64_MAX && (a & 3) == 3 && (uint64_t)(a << 3 >> 66) == 10);
    int value = 4;
    union pair old = slot, new = { .low = &value, .high = 1 };
    assert(__sync_bool_compare_and_swap(&slot.whole, old.whole, new.whole));
    assert(slot.high == 1 && *(int *)slot.low == 4);
    slot.low = NULL;
}

int main(void)
{
    arithmetic();
#ifndef ALONE
    pthread_t other;
    pthread_create(&other, NULL, raise, NULL);
    raise(NULL);
    pthread_join(other, NULL);
    assert((uint64_t)counter == 2 && (uint64_t)(counter >> 64) == 2);
#endif
    return 0;
}
