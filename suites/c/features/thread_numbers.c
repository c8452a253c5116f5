/* Functions of the CheckFence library (thesis, appendix B.1) that ask for the threads of a bounded test, structures from
   pointers to their fields, and atomic blocks that nest.

   `w` announces the thread in a slot of its own and looks at all slots; with SHARED all have one slot. */
#include <lsl_protos.h>

int slots[3];

void w(void)
{
    int own = lsl_get_thread_id();
#ifdef SHARED
    own = 0;
#endif
    lsl_assert(own >= 0 && own < lsl_get_number_threads());
    lsl_assert(slots[own] == 0);
    slots[own] = 1 + own;
    lsl_assert(slots[own] == 1 + own);
}

/* Which threads there are: each shows its own number. */
void n(void)
{
    lsl_observe_output("thread", lsl_get_thread_id());
    lsl_observe_output("threads", lsl_get_number_threads());
}

struct link {
    struct link *next;
};

struct item {
    int value;
    struct link link;
};

struct item item;
struct link *list;

/* An item is known by a link in it. */
void p(void)
{
    item.value = 1;
    lsl_fence("store-store");
    list = &item.link;
}

void g(void)
{
    struct link *link = list;
    if (link == 0) {
        lsl_observe_output("value", -1);
        return;
    }
#ifndef UNFENCED
    lsl_fence("data-dependent-loads");
#endif
    lsl_observe_output("value", lsl_get_struct_pointer(struct item, link, link)->value);
}

int first, second;

static int increment(int *counter)
{
    int value;
    lsl_atomic_begin();
    value = *counter;
    *counter = value + 1;
    lsl_atomic_end();
    return value;
}

/* Both counters in one step: the inner blocks are redundant. With SPLIT they are all there is. */
void b(void)
{
    int one, other;
#ifndef SPLIT
    lsl_atomic_begin();
#endif
    one = increment(&first);
    lsl_atomic_begin();
    other = increment(&second);
    lsl_atomic_end();
#ifndef SPLIT
    lsl_atomic_end();
#endif
    lsl_observe_output("first", one);
    lsl_observe_output("second", other);
}

/* What is expected.
   expect sc,tso,pso holds test='(w|w|w)' engine=axiomatic,operational,mcr
   expect relaxed holds test='(w|w|w)'
   expect sc violated test='(w|w)' -D SHARED engine=axiomatic,operational,mcr
   expect sc holds test='n(n|n)' engine=axiomatic,operational,mcr
   expect relaxed holds test='(p|g)'
   expect relaxed violated test='(p|g)' -D UNFENCED
   expect sc,tso holds test='(p|g)' engine=axiomatic,operational,mcr
   expect sc,tso,pso holds test='(bb|b)' engine=axiomatic,operational,mcr
   expect relaxed holds test='(b|b)'
   expect sc violated test='(b|b)' -D SPLIT engine=axiomatic,operational,mcr */
