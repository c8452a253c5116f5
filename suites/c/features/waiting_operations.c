/* Operations of a bounded test that wait in loops of their own: a serial execution in which one of them would wait for ever is none
   (CheckFence thesis, section 7.2.3). `p` fills a box once it is empty, `t` takes what is in it once it is full. */
#include <lsl_protos.h>

int full, content;

void p(void)
{
    int value = lsl_nondet(1, 2);
    lsl_observe_input("value", value);
    while (full)
        ;
    lsl_fence("load-store");
    content = value;
#ifndef UNFENCED
    lsl_fence("store-store");
#endif
    full = 1;
}

void t(void)
{
    while (!full)
        ;
    lsl_fence("load-load");
    lsl_observe_output("value", content);
    lsl_fence("load-store");
    full = 0;
}

/* What is expected. A box that nobody fills, or that is filled twice, has no serial execution.
   expect sc,tso,pso holds test='(p|t)' engine=axiomatic,operational,mcr
   expect sc holds test='(pp|tt)' engine=axiomatic,operational,mcr
   expect relaxed holds test='(pp|tt)'
   expect relaxed violated test='(p|t)' -D UNFENCED
   expect pso violated test='(p|t)' -D UNFENCED engine=axiomatic,operational,mcr
   expect sc violated test='(t|t)' engine=axiomatic,operational,mcr
   expect sc violated test='(p|pt)' engine=axiomatic,operational,mcr */
