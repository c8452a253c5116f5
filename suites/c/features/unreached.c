/* What main does not come to may contain what is not modelled: floating point, arrays of variable length, variable
   arguments, even what cannot be read. */
#include <assert.h>
#include <stdarg.h>

double average(int count, ...)
{
    va_list list;
    double sum = 0;

    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, double);
    va_end(list);
    return sum / count;
}

int first_of_many(int count)
{
    int many[count];

    many[0] = 1;
    return many[0];
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 4; i++)
        sum += i;
    assert(sum == 6);
    return 0;
}

/* What is expected.
   expect sc,rc11 holds */
