/* Futexes. A thread that waits has a place here with the address that it waits at; a wake picks any of those. */
#ifndef PALISADE_FUTEX_H
#define PALISADE_FUTEX_H

#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAKE_BITSET 10
#define FUTEX_PRIVATE_FLAG 128
#define FUTEX_CLOCK_REALTIME 256
#define FUTEX_WAIT_PRIVATE (FUTEX_WAIT | FUTEX_PRIVATE_FLAG)
#define FUTEX_WAKE_PRIVATE (FUTEX_WAKE | FUTEX_PRIVATE_FLAG)
#define FUTEX_WAIT_BITSET_PRIVATE (FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG)
#define FUTEX_WAKE_BITSET_PRIVATE (FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG)
#define FUTEX_BITSET_MATCH_ANY 0xffffffff

enum { palisade_free, palisade_waits, palisade_woken };

static struct {
    _Atomic(void *) address;
    _Atomic(int) state;
} palisade_waiters[4];

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __palisade_await(int condition);
extern void __palisade_error(const char *message);
extern int lsl_choose(void);

/* Waits at an address, unless its value is another than expected: 0 once woken, -1 if the value is another. */
static inline long palisade_futex_wait(const volatile void *address, unsigned int expected)
{
    const volatile _Atomic(unsigned int) *word = address;
    int place = -1;
    __VERIFIER_atomic_begin();
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == expected) {
        place = __atomic_load_n(&palisade_waiters[0].state, __ATOMIC_RELAXED) == palisade_free   ? 0
                : __atomic_load_n(&palisade_waiters[1].state, __ATOMIC_RELAXED) == palisade_free ? 1
                : __atomic_load_n(&palisade_waiters[2].state, __ATOMIC_RELAXED) == palisade_free ? 2
                                                                                                 : 3;
        if (__atomic_load_n(&palisade_waiters[place].state, __ATOMIC_RELAXED) != palisade_free)
            __palisade_error("more than 4 threads wait at futexes: so many are not modelled");
        __atomic_store_n(&palisade_waiters[place].address, (void *)address, __ATOMIC_RELAXED);
        __atomic_store_n(&palisade_waiters[place].state, palisade_waits, __ATOMIC_RELAXED);
    }
    __VERIFIER_atomic_end();
    if (place < 0)
        return -1;
    __VERIFIER_atomic_begin();
    __palisade_await(__atomic_load_n(&palisade_waiters[place].state, __ATOMIC_ACQUIRE) == palisade_woken);
    __atomic_store_n(&palisade_waiters[place].state, palisade_free, __ATOMIC_RELAXED);
    __VERIFIER_atomic_end();
    return 0;
}

static inline int palisade_waits_at(int place, const volatile void *address)
{
    return __atomic_load_n(&palisade_waiters[place].state, __ATOMIC_RELAXED) == palisade_waits
           && __atomic_load_n(&palisade_waiters[place].address, __ATOMIC_RELAXED) == address;
}

/* Wakes some of those that wait at an address, and says how many. */
static inline long palisade_futex_wake(const volatile void *address, int most)
{
    int woken = 0;
    __VERIFIER_atomic_begin();
    int waiting = palisade_waits_at(0, address) + palisade_waits_at(1, address) + palisade_waits_at(2, address)
                  + palisade_waits_at(3, address);
    for (int place = 0; place < 4; place++) {
        if (palisade_waits_at(place, address)) {
            /* Any of them, but as many as there can be. */
            if (woken < most && (most - woken >= waiting || lsl_choose())) {
                __atomic_store_n(&palisade_waiters[place].state, palisade_woken, __ATOMIC_RELEASE);
                woken++;
            }
            waiting--;
        }
    }
    __VERIFIER_atomic_end();
    return woken;
}

static inline long palisade_futex(const volatile void *address, int operation, unsigned int value)
{
    switch (operation & 127) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return palisade_futex_wait(address, value);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return palisade_futex_wake(address, (int)value);
    }
    __palisade_error("an operation on a futex that is not modelled");
    return -1;
}

#endif
