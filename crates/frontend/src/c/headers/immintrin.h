/* Instructions of x86: hints and fences. */
#ifndef PALISADE_IMMINTRIN_H
#define PALISADE_IMMINTRIN_H

extern void _mm_pause(void);
static inline void _mm_mfence(void) { __asm__ __volatile__("mfence" ::: "memory"); }
static inline void _mm_lfence(void) { __asm__ __volatile__("lfence" ::: "memory"); }
static inline void _mm_sfence(void) { __asm__ __volatile__("sfence" ::: "memory"); }

#endif
