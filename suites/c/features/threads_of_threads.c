/* Threads started by threads, joined by those or by nobody.
   expect rc11,rc20 holds engine=mcr
   expect rc11,sc,tso,pso holds
   expect rc11 violated -D UNJOINED engine=mcr
   expect sc,tso,pso violated -D UNJOINED engine=operational,mcr
   expect rc11 violated -D RACE */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x; static int data;
static void *leaf(void *u) { atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); return u; }
static void *mid(void *u) { pthread_t c; data++; pthread_create(&c, 0, leaf, 0); 
#ifndef UNJOINED
 pthread_join(c, 0);
#endif
 return u; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, mid, 0); 
#ifdef RACE
 pthread_create(&b, 0, mid, 0); pthread_join(b, 0);
#endif
 atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); pthread_join(a, 0);
#ifndef RACE
 assert(x == 2);
#endif
 return 0; }
