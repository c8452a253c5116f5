/* Atomic sections of the verification competition: they do not race with each other.

   -D BROKEN    one thread counts outside of a section. */
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int count;

static void __VERIFIER_atomic_count(void) { count++; }

static void *one(void *unused)
{
    __VERIFIER_atomic_begin();
    int seen = count;
    count = seen + 1;
    __VERIFIER_atomic_end();
    return 0;
}

static void *two(void *unused)
{
#ifdef BROKEN
    count++;
#else
    __VERIFIER_atomic_count();
#endif
    return 0;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    if (count != 2)
        reach_error();
    return 0;
}

/* What is expected.
   expect sc,tso,pso,rc11 holds
   expect sc holds engine=mcr
   expect sc,rc11 violated -D BROKEN */
