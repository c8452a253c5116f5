/* Kinds of characters, in the locale "C". */
#ifndef PALISADE_CTYPE_H
#define PALISADE_CTYPE_H

static inline int isdigit(int letter) { return letter >= '0' && letter <= '9'; }
static inline int islower(int letter) { return letter >= 'a' && letter <= 'z'; }
static inline int isupper(int letter) { return letter >= 'A' && letter <= 'Z'; }
static inline int isalpha(int letter) { return islower(letter) || isupper(letter); }
static inline int isalnum(int letter) { return isalpha(letter) || isdigit(letter); }
static inline int isspace(int letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }
static inline int isblank(int letter) { return letter == ' ' || letter == '\t'; }
static inline int isprint(int letter) { return letter >= ' ' && letter <= '~'; }
static inline int isgraph(int letter) { return letter > ' ' && letter <= '~'; }
static inline int ispunct(int letter) { return isgraph(letter) && !isalnum(letter); }
static inline int iscntrl(int letter) { return (letter >= 0 && letter < ' ') || letter == 127; }
static inline int isxdigit(int letter)
{
    return isdigit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}
static inline int tolower(int letter) { return isupper(letter) ? letter + ('a' - 'A') : letter; }
static inline int toupper(int letter) { return islower(letter) ? letter - ('a' - 'A') : letter; }

#endif
