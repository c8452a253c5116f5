/* Functions of gcc's: atomic ones, those that count bits, and those that say whether a number is too large.

   -D BROKEN    the number of zeros before the highest bit of 0, which there is not. */
#include <assert.h>
#include <limits.h>

static int cell, other;
static char flag;

static void atomics(void)
{
    int value = 7, old, expected = 8;

    assert(__sync_fetch_and_add(&cell, 3) == 0 && __sync_or_and_fetch(&cell, 4) == 7);
    assert(__sync_bool_compare_and_swap(&cell, 7, 2) && __sync_val_compare_and_swap(&cell, 1, 9) == 2);
    assert(__sync_nand_and_fetch(&cell, 3) == ~2 && __sync_lock_test_and_set(&other, 1) == 0);
    __sync_lock_release(&other);
    __atomic_store(&cell, &value, __ATOMIC_RELEASE);
    value = 8;
    __atomic_exchange(&cell, &value, &old, __ATOMIC_ACQ_REL);
    assert(old == 7 && __atomic_load_n(&cell, __ATOMIC_ACQUIRE) == 8 && other == 0);
    value = 9;
    assert(__atomic_compare_exchange(&cell, &expected, &value, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(__atomic_fetch_nand(&cell, 1, __ATOMIC_RELAXED) == 9 && cell == ~1);
    assert(!__atomic_test_and_set(&flag, __ATOMIC_ACQUIRE) && __atomic_test_and_set(&flag, __ATOMIC_ACQUIRE));
}

static void bits(unsigned int word)
{
    assert(__builtin_clz(word) == 25 && __builtin_ctz(word) == 4 && __builtin_popcount(word) == 2);
    assert(__builtin_ffs(word) == 5 && __builtin_ffs(0) == 0 && __builtin_parity(7) == 1);
    assert(__builtin_bswap32(0x11223344) == 0x44332211 && __builtin_bswap64(1) == 1ul << 56);
#ifdef BROKEN
    assert(__builtin_clz(word - 0x50) == 32);
#endif
}

static void limits(void)
{
    int sum;
    unsigned long product;

    assert(__builtin_add_overflow(INT_MAX, 1, &sum) && sum == INT_MIN);
    assert(!__builtin_sub_overflow(3, 5, &sum) && sum == -2);
    assert(__builtin_mul_overflow(1ul << 63, 2ul, &product) && product == 0);
    assert(!__builtin_mul_overflow(1ul << 31, 2ul, &product) && product == 1ul << 32);
}

int main(void)
{
    static const int table[8] = { [0 ... 3] = 1, [6] = 5 };

    atomics();
    bits(0x50);
    limits();
    assert(table[3] == 1 && table[4] == 0 && table[6] == 5 && (table[6] ?: 7) == 5 && (table[7] ?: 7) == 7);
    return 0;
}

/* What is expected.
   expect sc,rc11 holds
   expect sc violated -D BROKEN */
