/* Blocks of memory and strings. */
#ifndef PALISADE_STRING_H
#define PALISADE_STRING_H

#include <stddef.h>

extern void *memcpy(void *to, const void *from, size_t size);
extern void *memmove(void *to, const void *from, size_t size);
extern void *memset(void *to, int byte, size_t size);
extern int memcmp(const void *left, const void *right, size_t size);
extern size_t strlen(const char *text);
extern char *strcpy(char *to, const char *from);
extern char *strncpy(char *to, const char *from, size_t size);
extern int strcmp(const char *left, const char *right);
extern int strncmp(const char *left, const char *right, size_t size);

#endif
