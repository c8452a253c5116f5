/* `_Generic`, `__auto_type`, arrays of variable length, and variable arguments.

   -D BROKEN    the array of variable length is one element too short.
   -D LOST      the sum is read and written without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

#define KIND(x) _Generic((x), int: 1, long: 2, char *: 3, default: 4)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static long total(const char *kinds, ...)
{
    va_list list, again;
    long result = 0;
    int starts_with_int = *kinds == 'i';

    va_start(list, kinds);
    va_copy(again, list);
    for (; *kinds; kinds++)
        result += *kinds == 'i' ? va_arg(list, int) : *kinds == 'l' ? va_arg(list, long) : *va_arg(list, long *);
    assert(!starts_with_int || va_arg(again, int) == 1);
    va_end(again);
    va_end(list);
    return result;
}

static int squares(int count)
{
#ifdef BROKEN
    int square[count - 1];
#else
    int square[count];
#endif
    int result = 0;

    for (int at = 0; at < count; at++)
        square[at] = at * at;
    for (int at = 0; at < count; at++)
        result += square[at];
    return result;
}

static void *add(void *argument)
{
    __auto_type count = *(int *)argument;
    long far = 5;
    long mine = squares(count) + total("lp", 2L, &far) - 2;

#ifndef LOST
    pthread_mutex_lock(&lock);
#endif
    sum += mine;
#ifndef LOST
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int counts[2] = { 3, 4 };
    long far = 7;

    pthread_create(&first, NULL, add, &counts[0]);
    pthread_create(&second, NULL, add, &counts[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(sum == 5 + 14 + 10);
    assert(total("ilp", 1, 2L, &far) == 10);
    assert(KIND(sum) == 2 && KIND('a') == 1 && KIND("a") == 3 && KIND(&sum) == 4);
    return 0;
}

/* What is expected.
   expect sc,tso,pso,rc11 holds
   expect sc holds engine=mcr
   expect sc,rc11 violated -D BROKEN
   expect rc11 violated -D LOST */
