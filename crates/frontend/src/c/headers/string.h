/* Blocks of memory and strings. */
#ifndef PALISADE_STRING_H
#define PALISADE_STRING_H

#include <stddef.h>

extern void *memcpy(void *to, const void *from, size_t size);
extern void *memmove(void *to, const void *from, size_t size);
extern void *memset(void *to, int byte, size_t size);
extern int memcmp(const void *left, const void *right, size_t size);

#define bzero(to, size) ((void)memset((to), 0, (size)))
#define bcopy(from, to, size) ((void)memmove((to), (from), (size)))
#define bcmp(left, right, size) memcmp((left), (right), (size))

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

static inline char *strncat(char *to, const char *from, size_t size)
{
    size_t end = strlen(to), at = 0;
    for (; at < size && from[at]; at++)
        to[end + at] = from[at];
    to[end + at] = 0;
    return to;
}

static inline char *strstr(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (;; text++) {
        if (strncmp(text, part, length) == 0)
            return (char *)text;
        if (!*text)
            return NULL;
    }
}

static inline size_t strspn(const char *text, const char *letters)
{
    size_t length = 0;
    while (text[length] && strchr(letters, text[length]))
        length++;
    return length;
}

static inline size_t strcspn(const char *text, const char *letters)
{
    size_t length = 0;
    while (text[length] && !strchr(letters, text[length]))
        length++;
    return length;
}

static inline char *strpbrk(const char *text, const char *letters)
{
    text += strcspn(text, letters);
    return *text ? (char *)text : NULL;
}

static inline void *memchr(const void *block, int byte, size_t size)
{
    const unsigned char *bytes = block;
    for (size_t at = 0; at < size; at++)
        if (bytes[at] == (unsigned char)byte)
            return (void *)(bytes + at);
    return NULL;
}

extern void *malloc(size_t size);

static inline char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    for (size_t at = 0; at < size; at++)
        copy[at] = text[at];
    return copy;
}

static inline char *strndup(const char *text, size_t most)
{
    size_t size = strnlen(text, most);
    char *copy = malloc(size + 1);
    for (size_t at = 0; at < size; at++)
        copy[at] = text[at];
    copy[size] = 0;
    return copy;
}

static inline char *strtok_r(char *text, const char *letters, char **rest)
{
    char *start = text ? text : *rest;
    start += strspn(start, letters);
    if (!*start) {
        *rest = start;
        return NULL;
    }
    char *end = start + strcspn(start, letters);
    if (*end)
        *end++ = 0;
    *rest = end;
    return start;
}

static inline char *strerror(int number)
{
    return "an error";
}

#endif
