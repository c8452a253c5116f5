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
extern void free(void *block);
extern void abort(void);
extern void exit(int status);
extern int atexit(void (*function)(void));
extern int abs(int number);
extern long labs(long number);
extern long long llabs(long long number);
extern int rand(void);
extern void srand(unsigned int seed);
extern int atoi(const char *text);
extern long atol(const char *text);

#endif
