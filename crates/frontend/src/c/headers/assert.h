/* Assertions. `assert` stays a call, so that reports can show the condition as it is written. As C says, this header may be
   included again with another NDEBUG. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
extern void assert();
#endif

#ifndef PALISADE_ASSERT_H
#define PALISADE_ASSERT_H
#define static_assert _Static_assert
#endif
