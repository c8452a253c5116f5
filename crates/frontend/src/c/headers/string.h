/* Blocks of memory and strings. */
#ifndef PALISADE_STRING_H
#define PALISADE_STRING_H

#include <stddef.h>

extern void *memcpy(void *to, const void *from, size_t size);
extern void *memmove(void *to, const void *from, size_t size);
extern void *memset(void *to, int byte, size_t size);
extern int memcmp(const void *left, const void *right, size_t size);

static inline size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static inline size_t strnlen(const char *text, size_t size)
{
    size_t length = 0;
    while (length < size && text[length])
        length++;
    return length;
}

static inline char *strcpy(char *to, const char *from)
{
    size_t at = 0;
    while ((to[at] = from[at]))
        at++;
    return to;
}

static inline char *strncpy(char *to, const char *from, size_t size)
{
    size_t at = 0;
    for (; at < size && from[at]; at++)
        to[at] = from[at];
    for (; at < size; at++)
        to[at] = 0;
    return to;
}

static inline char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

static inline int strncmp(const char *left, const char *right, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        int difference = (unsigned char)left[at] - (unsigned char)right[at];
        if (difference || !left[at])
            return difference;
    }
    return 0;
}

static inline int strcmp(const char *left, const char *right)
{
    size_t at = 0;
    while (left[at] && left[at] == right[at])
        at++;
    return (unsigned char)left[at] - (unsigned char)right[at];
}

static inline char *strchr(const char *text, int character)
{
    for (; *text != (char)character; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

static inline char *strrchr(const char *text, int character)
{
    const char *found = NULL;
    do {
        if (*text == (char)character)
            found = text;
    } while (*text++);
    return (char *)found;
}

static inline char *strerror(int number)
{
    return "an error";
}

#endif
