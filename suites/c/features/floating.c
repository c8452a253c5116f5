/* Floating-point numbers: arithmetic, conversions, comparisons, bytes, and one that threads share.
   expect sc pass
   expect sc pass engine=mcr
   expect tso pass engine=operational
   expect rc11 pass
   expect rc11 fail -D RACY
   expect sc fail -D TOO_LARGE
   expect sc fail -D NEGATIVE
   expect sc fail -D NAN_TO_INT */

#include <assert.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static _Atomic double shared;
static double plain;
static volatile unsigned long large = 18446744073709551615UL;
static volatile double zero;

union both {
    float number;
    uint32_t bits;
};

static double sum(int count, ...)
{
    va_list list;
    double all = 0;
    va_start(list, count);
    while (count--)
        all += va_arg(list, double);
    va_end(list);
    return all;
}

static void *writer(void *unused)
{
#ifdef RACY
    plain = 2.5;
#endif
    atomic_store(&shared, 0.1f);
    return unused;
}

static void conversions(void)
{
    assert((double)large == 18446744073709551616.0 && (unsigned long)9.5e18 == 9500000000000000000UL);
    assert((float)16777217 == 16777216.0f && (int)-2.9 == -2 && (unsigned char)255.9 == 255);
    assert((_Bool)0.25 && !(_Bool)-0.0 && !-0.0 && (zero ? 0 : 1));
    assert((0.1f == 0.1) == 0 && 1 / 2.0 == 0.5 && 0x1.8p1 == 3);
    assert(sizeof(float) == 4 && sizeof(1.0) == 8 && sizeof(1.0f + 1) == 4);
#ifdef TOO_LARGE
    assert((int)(zero + 2147483648.0) != 0);
#endif
#ifdef NEGATIVE
    assert((unsigned)(zero - 1) != 0);
#endif
#ifdef NAN_TO_INT
    assert((long)(zero / zero) == 0);
#endif
}

int main(void)
{
    union both both = { 1.0f };
    pthread_t thread;
    double seen, nan = zero / zero, bytes;
    assert(both.bits == 0x3f800000 && nan != nan && !(nan < 1) && 1 / zero == INFINITY);
    seen = DBL_MAX;
    memcpy(&bytes, &seen, sizeof bytes);
    assert(bytes == DBL_MAX && bytes + 1 == bytes && floor(-0.5) == -1 && ceil(1.25) == 2 && fabs(-3.5) == 3.5);
    assert(sum(2, 1.5, 2.25f) == 3.75);
    conversions();
    pthread_create(&thread, 0, writer, 0);
    seen = atomic_load(&shared);
    assert(seen == 0 || seen == (double)0.1f);
#ifdef RACY
    seen = plain;
#endif
    seen++;
    seen *= 2;
    assert(seen == 2 || seen > 2.19);
    pthread_join(thread, 0);
    return 0;
}
