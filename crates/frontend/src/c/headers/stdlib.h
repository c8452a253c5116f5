/* Memory, exit, small things. */
#ifndef PALISADE_STDLIB_H
#define PALISADE_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

extern void *malloc(size_t size);
extern void *calloc(size_t count, size_t size);
extern void *realloc(void *block, size_t size);
extern void *aligned_alloc(size_t alignment, size_t size);
extern int posix_memalign(void **block, size_t alignment, size_t size);
extern void free(void *block);
extern void abort(void);
extern void exit(int status);
extern int atexit(void (*function)(void));
extern char *getenv(const char *name);
extern int rand(void);
extern void srand(unsigned int seed);

static inline int abs(int number) { return number < 0 ? -number : number; }
static inline long labs(long number) { return number < 0 ? -number : number; }
static inline long long llabs(long long number) { return number < 0 ? -number : number; }

static inline int rand_r(unsigned int *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return rand();
}

static inline long atol(const char *text)
{
    long number = 0, sign = 1;
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    if (*text == '-' || *text == '+')
        sign = *text++ == '-' ? -1 : 1;
    while (*text >= '0' && *text <= '9')
        number = number * 10 + (*text++ - '0');
    return number * sign;
}

static inline int atoi(const char *text) { return (int)atol(text); }
static inline long long atoll(const char *text) { return atol(text); }

#endif
