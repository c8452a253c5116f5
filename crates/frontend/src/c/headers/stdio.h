/* Output. What a program prints is not looked at; what it writes as text into memory is. */
#ifndef PALISADE_STDIO_H
#define PALISADE_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#ifndef PALISADE_SSIZE_T
#define PALISADE_SSIZE_T
typedef long ssize_t;
#endif

typedef struct palisade_file FILE;

#define EOF (-1)
#define stdin ((FILE *)0)
#define stdout ((FILE *)1)
#define stderr ((FILE *)2)

extern int printf(const char *format, ...);
extern int fprintf(FILE *stream, const char *format, ...);
extern int puts(const char *text);
extern int fputs(const char *text, FILE *stream);
extern int putchar(int character);
extern int fflush(FILE *stream);
extern void perror(const char *text);

extern void *malloc(size_t size);
extern void __palisade_unsupported(const char *message);

#define PALISADE_PUT(character)                                                                                        \
    do {                                                                                                               \
        if (length + 1 < size)                                                                                         \
            text[length] = (char)(character);                                                                          \
        length++;                                                                                                      \
    } while (0)

static inline int vsnprintf(char *text, size_t size, const char *format, va_list list)
{
    size_t length = 0;
    for (; *format; format++) {
        if (*format != '%') {
            PALISADE_PUT(*format);
            continue;
        }
        int left = 0, zeros = 0, prefixed = 0, width = 0, precision = -1, halves = 0, is_long = 0;
        char sign = 0;
        for (format++;; format++) {
            if (*format == '-')
                left = 1;
            else if (*format == '0')
                zeros = 1;
            else if (*format == '#')
                prefixed = 1;
            else if (*format == '+' || (*format == ' ' && !sign))
                sign = *format;
            else if (*format != ' ')
                break;
        }
        if (*format == '*') {
            width = va_arg(list, int);
            left |= width < 0;
            width = width < 0 ? -width : width;
            format++;
        }
        for (; *format >= '0' && *format <= '9'; format++)
            width = width * 10 + (*format - '0');
        if (*format == '.') {
            precision = 0;
            format++;
            if (*format == '*') {
                precision = va_arg(list, int);
                format++;
            }
            for (; *format >= '0' && *format <= '9'; format++)
                precision = precision * 10 + (*format - '0');
        }
        for (;; format++) {
            if (*format == 'h')
                halves++;
            else if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't')
                is_long = 1;
            else
                break;
        }
        if (*format == '%') {
            PALISADE_PUT('%');
        } else if (*format == 's' || *format == 'c') {
            char character = 0;
            const char *from = &character;
            size_t count = 1;
            if (*format == 'c') {
                character = (char)va_arg(list, int);
            } else {
                from = va_arg(list, const char *);
                for (count = 0; (precision < 0 || count < (size_t)precision) && from[count];)
                    count++;
            }
            for (size_t at = count; !left && at < (size_t)width; at++)
                PALISADE_PUT(' ');
            for (size_t at = 0; at < count; at++)
                PALISADE_PUT(from[at]);
            for (size_t at = count; left && at < (size_t)width; at++)
                PALISADE_PUT(' ');
        } else if (*format == 'd' || *format == 'i' || *format == 'u' || *format == 'x' || *format == 'X') {
            unsigned long number, base = *format == 'x' || *format == 'X' ? 16 : 10, scale = 1;
            if (*format == 'd' || *format == 'i') {
                long value = is_long ? va_arg(list, long) : va_arg(list, int);
                value = halves == 1 ? (short)value : halves > 1 ? (signed char)value : value;
                sign = value < 0 ? '-' : sign;
                number = value < 0 ? 0 - (unsigned long)value : (unsigned long)value;
                prefixed = 0;
            } else {
                number = is_long ? va_arg(list, unsigned long) : va_arg(list, unsigned int);
                number = halves == 1 ? (unsigned short)number : halves > 1 ? (unsigned char)number : number;
                sign = 0;
                prefixed = prefixed && base == 16 && number;
            }
            int digits = 1;
            for (; number / scale >= base; digits++)
                scale *= base;
            if (number == 0 && precision == 0)
                digits = 0;
            int outside = (sign ? 1 : 0) + (prefixed ? 2 : 0);
            int least = precision < 0 && zeros && !left ? width - outside : precision;
            int wide = outside + (digits < least ? least : digits);
            for (int at = wide; !left && at < width; at++)
                PALISADE_PUT(' ');
            if (sign)
                PALISADE_PUT(sign);
            if (prefixed) {
                PALISADE_PUT('0');
                PALISADE_PUT(*format);
            }
            for (int at = digits; at < least; at++)
                PALISADE_PUT('0');
            for (; digits > 0; digits--, scale /= base) {
                unsigned long digit = number / scale % base;
                PALISADE_PUT(digit < 10 ? '0' + digit : (*format == 'x' ? 'a' : 'A') + digit - 10);
            }
            for (int at = wide; left && at < width; at++)
                PALISADE_PUT(' ');
        } else {
            __palisade_unsupported("text of what is no integer, character or string");
        }
    }
    if (size > 0)
        text[length < size ? length : size - 1] = 0;
    return (int)length;
}

static inline int snprintf(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, size, format, list);
    va_end(list);
    return length;
}

static inline int vsprintf(char *text, const char *format, va_list list)
{
    return vsnprintf(text, (size_t)-1, format, list);
}

static inline int sprintf(char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, (size_t)-1, format, list);
    va_end(list);
    return length;
}

static inline int vasprintf(char **text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    *text = malloc((size_t)length + 1);
    length = *text ? vsnprintf(*text, (size_t)length + 1, format, again) : -1;
    va_end(again);
    return length;
}

static inline int asprintf(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vasprintf(text, format, list);
    va_end(list);
    return length;
}

#endif
