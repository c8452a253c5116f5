/* A variable of which each thread keeps a copy, as in stale_cache.c, and a flag of which nothing is shown: who finds it set knows what came
   before. Under rc11 operations have no common time, only happens-before: what `w` did has to be seen by a `look` that is called after a
   `wait` which acquired from a `tell` after it. RELAXED orders nothing, STRICT looks at the variable itself.
   palisade check suites/c/features/published.c --test '(wt|nl)' --reference suites/c/features/published_ref.c --model rc11 --linearizable
   expect rc11 holds test='(wt|nl)' reference=published_ref.c */
#include <stdatomic.h>
#include "lsl_protos.h"

atomic_int x, flag;
int copies[4];

void i(void)
{
    atomic_store_explicit(&x, 0, memory_order_relaxed);
    atomic_store_explicit(&flag, 0, memory_order_relaxed);
}

/* Writes. */
void w(void)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
}

/* Tells. */
void t(void)
{
#ifdef RELAXED
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
#else
    atomic_store_explicit(&flag, 1, memory_order_release);
#endif
}

/* Notices. */
void n(void)
{
    (void)atomic_load_explicit(&flag, memory_order_acquire);
}

/* Looks. */
int l(void)
{
#ifdef STRICT
    return atomic_load_explicit(&x, memory_order_relaxed);
#else
    int thread = lsl_get_thread_id();
    int seen = copies[thread];
    copies[thread] = atomic_load_explicit(&x, memory_order_relaxed);
    return seen;
#endif
}
