/* Output. What a program prints is not looked at. */
#ifndef PALISADE_STDIO_H
#define PALISADE_STDIO_H

#include <stddef.h>

typedef struct palisade_file FILE;

#define EOF (-1)
#define stdin ((FILE *)0)
#define stdout ((FILE *)1)
#define stderr ((FILE *)2)

extern int printf(const char *format, ...);
extern int fprintf(FILE *stream, const char *format, ...);
extern int sprintf(char *text, const char *format, ...);
extern int snprintf(char *text, size_t size, const char *format, ...);
extern int puts(const char *text);
extern int fputs(const char *text, FILE *stream);
extern int putchar(int character);
extern int fflush(FILE *stream);
extern void perror(const char *text);

#endif
