/* Strings and blocks of memory, as BSD names it. */
#ifndef PALISADE_STRINGS_H
#define PALISADE_STRINGS_H

#include <ctype.h>
#include <string.h>

static inline char *index(const char *text, int letter) { return strchr(text, letter); }
static inline char *rindex(const char *text, int letter) { return strrchr(text, letter); }

static inline int ffs(int word)
{
    int place = 0;
    for (unsigned int rest = (unsigned int)word; rest; rest <<= 1)
        place++;
    return word ? 33 - place : 0;
}

static inline int strcasecmp(const char *left, const char *right)
{
    while (*left && tolower(*left) == tolower(*right)) {
        left++;
        right++;
    }
    return tolower(*left) - tolower(*right);
}

static inline int strncasecmp(const char *left, const char *right, size_t size)
{
    for (; size > 0 && *left && tolower(*left) == tolower(*right); size--) {
        left++;
        right++;
    }
    return size == 0 ? 0 : tolower(*left) - tolower(*right);
}

#endif
