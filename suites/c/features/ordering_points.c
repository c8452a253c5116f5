/* A counter with C11 atomics whose operations say where they take effect: the access before lsl_commit. Under rc11 one comes before another
   if that access happens before the other's. ELSEWHERE says it of an access to another variable, which may come in another order; UNORDERED
   does so where that order is nobody's, since nothing synchronises.
   palisade check suites/c/features/ordering_points.c --test '(a|a)' --model rc11 --linearizable
   expect rc11 holds test='(a|a)'
   expect rc11 holds test='(a|a)' -D ELSEWHERE */
#include <stdatomic.h>
#include "lsl_protos.h"

atomic_int count, turn;

void i(void)
{
    atomic_store_explicit(&count, 0, memory_order_relaxed);
    atomic_store_explicit(&turn, 0, memory_order_relaxed);
}

int a(void)
{
    int before;
#ifdef ELSEWHERE
    atomic_fetch_add_explicit(&turn, 1, memory_order_acq_rel);
    lsl_commit();
#endif
#ifdef UNORDERED
    atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    lsl_commit();
#endif
    before = atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel);
#if !defined(ELSEWHERE) && !defined(UNORDERED)
    lsl_commit();
#endif
    return before;
}

int g(void)
{
    int seen = atomic_load_explicit(&count, memory_order_acquire);
    lsl_commit();
    return seen;
}
