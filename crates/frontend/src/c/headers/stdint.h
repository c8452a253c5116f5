/* Integers of a given width. */
#ifndef PALISADE_STDINT_H
#define PALISADE_STDINT_H

typedef __INT8_TYPE__ int8_t;
typedef __INT8_TYPE__ int_least8_t;
typedef __INT8_TYPE__ int_fast8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT8_TYPE__ uint_least8_t;
typedef __UINT8_TYPE__ uint_fast8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT16_TYPE__ int_least16_t;
typedef __INT64_TYPE__ int_fast16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT16_TYPE__ uint_least16_t;
typedef __UINT64_TYPE__ uint_fast16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT32_TYPE__ int_least32_t;
typedef __INT64_TYPE__ int_fast32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT32_TYPE__ uint_least32_t;
typedef __UINT64_TYPE__ uint_fast32_t;
typedef __INT64_TYPE__ int64_t;
typedef __INT64_TYPE__ int_least64_t;
typedef __INT64_TYPE__ int_fast64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINT64_TYPE__ uint_least64_t;
typedef __UINT64_TYPE__ uint_fast64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTMAX_TYPE__ intmax_t;
typedef __UINTMAX_TYPE__ uintmax_t;

#define INT8_MAX 0x7f
#define INT8_MIN (-INT8_MAX - 1)
#define UINT8_MAX 0xff
#define INT_LEAST8_MAX 0x7f
#define INT_LEAST8_MIN (-INT_LEAST8_MAX - 1)
#define UINT_LEAST8_MAX 0xff
#define INT_FAST8_MAX 0x7f
#define INT_FAST8_MIN (-INT_FAST8_MAX - 1)
#define UINT_FAST8_MAX 0xff
#define INT16_MAX 0x7fff
#define INT16_MIN (-INT16_MAX - 1)
#define UINT16_MAX 0xffff
#define INT_LEAST16_MAX 0x7fff
#define INT_LEAST16_MIN (-INT_LEAST16_MAX - 1)
#define UINT_LEAST16_MAX 0xffff
#define INT_FAST16_MAX 0x7fffffffffffffffL
#define INT_FAST16_MIN (-INT_FAST16_MAX - 1)
#define UINT_FAST16_MAX 0xffffffffffffffffUL
#define INT32_MAX 0x7fffffff
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX 0xffffffffU
#define INT_LEAST32_MAX 0x7fffffff
#define INT_LEAST32_MIN (-INT_LEAST32_MAX - 1)
#define UINT_LEAST32_MAX 0xffffffffU
#define INT_FAST32_MAX 0x7fffffffffffffffL
#define INT_FAST32_MIN (-INT_FAST32_MAX - 1)
#define UINT_FAST32_MAX 0xffffffffffffffffUL
#define INT64_MAX 0x7fffffffffffffffL
#define INT64_MIN (-INT64_MAX - 1)
#define UINT64_MAX 0xffffffffffffffffUL
#define INT_LEAST64_MAX 0x7fffffffffffffffL
#define INT_LEAST64_MIN (-INT_LEAST64_MAX - 1)
#define UINT_LEAST64_MAX 0xffffffffffffffffUL
#define INT_FAST64_MAX 0x7fffffffffffffffL
#define INT_FAST64_MIN (-INT_FAST64_MAX - 1)
#define UINT_FAST64_MAX 0xffffffffffffffffUL
#define INTPTR_MAX __INTPTR_MAX__
#define INTPTR_MIN (-INTPTR_MAX - 1)
#define UINTPTR_MAX __UINTPTR_MAX__
#define INTMAX_MAX __INTMAX_MAX__
#define INTMAX_MIN (-INTMAX_MAX - 1)
#define UINTMAX_MAX __UINTMAX_MAX__
#define SIZE_MAX __SIZE_MAX__
#define PTRDIFF_MAX __PTRDIFF_MAX__
#define PTRDIFF_MIN (-PTRDIFF_MAX - 1)

#define INT8_C(number) number
#define INT16_C(number) number
#define INT32_C(number) number
#define INT64_C(number) number##L
#define INTMAX_C(number) number##L
#define UINT8_C(number) number
#define UINT16_C(number) number
#define UINT32_C(number) number##U
#define UINT64_C(number) number##UL
#define UINTMAX_C(number) number##UL

#endif
