/* Store buffering with fences in inline assembly.

   -D BROKEN    only the compiler is kept in order. */
#include <assert.h>
#include <pthread.h>

#ifdef BROKEN
#define barrier() __asm__ __volatile__("" ::: "memory")
#else
#define barrier() __asm__ __volatile__("mfence" ::: "memory")
#endif

static volatile int x, y;
static int seen_by_one, seen_by_two;

static void *one(void *unused)
{
    x = 1;
    barrier();
    seen_by_one = y;
    return 0;
}

static void *two(void *unused)
{
    y = 1;
    __asm__ __volatile__("pause");
#ifndef BROKEN
    __asm__ __volatile__("lock; addl $0, (%%rsp)" ::: "memory", "cc");
#endif
    seen_by_two = x;
    return 0;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(seen_by_one || seen_by_two);
    return 0;
}

/* What is expected.
   expect sc,tso holds
   expect tso,pso violated -D BROKEN
   expect rc11 violated */
