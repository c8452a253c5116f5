/* A counter whose operations say where they take effect: with --linearizable, operations come in that order in the serial execution. EARLY
   says it before, which is another order than that of the results. With TWICE `g` says it twice, and the second time counts; with SILENT it
   does not say it.
   palisade check suites/c/features/commit_points.c --test '(a|a)' --model sc --linearizable
   expect sc holds test='(a|a)'
   expect tso holds test='(a|g)'
   expect relaxed holds test='(a|g)'
   expect sc holds test='(a|a)' -D EARLY */
#include "lsl_protos.h"

int count;

void i(void)
{
    count = 0;
}

int a(void)
{
    int before;
#ifdef EARLY
    lsl_commit();
#endif
    lsl_atomic_begin();
    before = count;
    count = before + 1;
#ifndef EARLY
    lsl_commit();
#endif
    lsl_atomic_end();
    return before;
}

int g(void)
{
    int seen;
#ifdef TWICE
    lsl_commit();
#endif
    lsl_atomic_begin();
    seen = count;
#ifndef SILENT
    lsl_commit();
#endif
    lsl_atomic_end();
    return seen;
}
