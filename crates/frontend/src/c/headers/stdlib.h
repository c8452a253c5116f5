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
extern void *reallocarray(void *block, size_t count, size_t size);
extern void *aligned_alloc(size_t alignment, size_t size);
extern void free(void *block);
extern void abort(void);
extern void exit(int status);
extern int atexit(void (*function)(void));
extern char *getenv(const char *name);
extern int rand(void);
extern void srand(unsigned int seed);

/* What is called where a program calls one of them through a pointer. */
static inline void *palisade_call_malloc(size_t size) { return malloc(size); }
static inline void *palisade_call_calloc(size_t count, size_t size) { return calloc(count, size); }
static inline void *palisade_call_realloc(void *block, size_t size) { return realloc(block, size); }
static inline void palisade_call_free(void *block) { free(block); }
static inline void palisade_call_abort(void) { abort(); }

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

static inline unsigned long strtoul(const char *text, char **end, int base)
{
    const char *at = text;
    unsigned long number = 0;
    int negative = 0, digits = 0;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        at++;
    if (*at == '-' || *at == '+')
        negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        at += 2;
        base = 16;
    }
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    for (;; at++, digits++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'z' ? *at - 'a' + 10
                    : *at >= 'A' && *at <= 'Z' ? *at - 'A' + 10
                                               : 36;
        if (digit >= base)
            break;
        number = number * (unsigned long)base + (unsigned long)digit;
    }
    if (end)
        *end = (char *)(digits ? at : text);
    return negative ? 0 - number : number;
}

static inline long strtol(const char *text, char **end, int base) { return (long)strtoul(text, end, base); }
static inline long long strtoll(const char *text, char **end, int base) { return (long)strtoul(text, end, base); }
static inline unsigned long long strtoull(const char *text, char **end, int base) { return strtoul(text, end, base); }

static inline int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = malloc(size);
    return 0;
}

extern void *memcpy(void *to, const void *from, size_t size);

static inline void palisade_exchange(char *one, char *other, size_t size)
{
    if (size == sizeof(void *)) {
        void *kept = *(void **)one;
        *(void **)one = *(void **)other;
        *(void **)other = kept;
        return;
    }
    for (size_t at = 0; at < size; at++) {
        char kept = one[at];
        one[at] = other[at];
        other[at] = kept;
    }
}

static inline void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t end = 1; end < count; end++)
        for (size_t at = end; at > 0; at--) {
            char *right = (char *)start + at * size, *left = right - size;
            if (compare(left, right) <= 0)
                break;
            palisade_exchange(left, right, size);
        }
}

static inline void *bsearch(const void *key, const void *start, size_t count, size_t size,
                            int (*compare)(const void *, const void *))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *element = (const char *)start + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

static inline div_t div(int number, int by)
{
    div_t result = { number / by, number % by };
    return result;
}

static inline ldiv_t ldiv(long number, long by)
{
    ldiv_t result = { number / by, number % by };
    return result;
}

static inline lldiv_t lldiv(long long number, long long by)
{
    lldiv_t result = { number / by, number % by };
    return result;
}

static inline long random(void) { return rand(); }

static inline int atoi(const char *text) { return (int)atol(text); }
static inline long long atoll(const char *text) { return atol(text); }

#endif
