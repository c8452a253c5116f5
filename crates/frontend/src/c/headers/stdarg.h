/* Variable arguments. */
#ifndef PALISADE_STDARG_H
#define PALISADE_STDARG_H

#ifdef __palisade__
typedef void *va_list;
#else
typedef __builtin_va_list va_list;
#endif
typedef va_list __gnuc_va_list;

#define va_start(list, ...) __builtin_va_start(list)
#define va_end(list) __builtin_va_end(list)
#define va_copy(to, from) __builtin_va_copy(to, from)
#define va_arg(list, type) __builtin_va_arg(list, type)

#endif
