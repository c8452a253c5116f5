/* A variable of which each thread keeps a copy, and gives what it was when the thread last looked. What threads see is sequentially
   consistent: a thread may always have looked before the others wrote. It is not linearisable: who looks after `w` has returned may
   get the old value. STRICT looks at the variable itself.
   palisade check suites/c/features/stale_cache.c --test '(w|r)' --reference suites/c/features/stale_cache_ref.c --model sc --linearizable
   expect sc holds test='(w|r)' reference=stale_cache_ref.c
   expect tso holds test='(w|r)' reference=stale_cache_ref.c
   expect sc holds test='(w|r)' reference=stale_cache_ref.c -D STRICT */
#include "lsl_protos.h"

int x;
int copies[4];

void i(void)
{
    x = 0;
}

void w(void)
{
    x = 1;
}

int r(void)
{
#ifdef STRICT
    return x;
#else
    int thread = lsl_get_thread_id();
    int seen = copies[thread];
    copies[thread] = x;
    return seen;
#endif
}
