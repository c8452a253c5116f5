/* The making of a point, reduced to its writes, N times; `z` tells that it is made. Another thread looks at it as often. A
   point that is half made is shown, which reads it again, and the thread goes on.

   For N = 1 only pso shows one. From N = 2 on the writer takes the point apart again while the reader looks at it, so
   that every machine does.

   -D N=n    1 by default. */

#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1
#endif

static int x, y, z, shown_x, shown_y, wrong;

static void *reader(void *unused)
{
    int i;

    for (i = 0; i < N; i++) {
        if (z == 1) {
            if (x + 1 != y) {
                shown_x = x;
                shown_y = y;
                wrong = 1;
            }
        }
    }
    return 0;
}

int main(void)
{
    pthread_t looking;
    int i;

    pthread_create(&looking, 0, reader, 0);
    for (i = 0; i < N; i++) {
        z = 0;
        x = 0;
        y = 0;
        x = 2;
        y = 3;
        z = 1;
    }
    pthread_join(looking, 0);
    assert(!wrong);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=operational,mcr
   expect pso violated engine=operational,mcr */
