/* The library that programs for bounded tests use: the names and meanings of appendix B.1 of the CheckFence thesis
   (Burckhardt 2007). Palisade knows these functions by name; there are no definitions. */
#ifndef PALISADE_LSL_PROTOS_H
#define PALISADE_LSL_PROTOS_H

#include <stddef.h>

/* Truth values. A file that has <stdbool.h> keeps its own. */
#ifdef __bool_true_false_are_defined
typedef bool boolean_t;
#else
enum boolean { false = 0, true = 1 };
typedef enum boolean boolean_t;
#endif

typedef unsigned int uint32;
typedef unsigned long long uint64;

/* Memory whose blocks may come back once they are freed. */
extern void *lsl_malloc(size_t size);
extern void lsl_free(void *block);

/* Memory whose blocks never come back; freeing only says that the block is no longer used. */
extern void *lsl_malloc_noreuse(size_t size);
extern void lsl_free_noreuse(void *block);

/* What must hold, and what an execution must satisfy to be looked at. */
extern void lsl_assert(boolean_t condition);
extern void lsl_assume(boolean_t condition);

/* Spin locks: entering brings load-load and load-store fences, leaving load-store and store-store ones. */
typedef unsigned int lsl_lock_t;
extern void lsl_initlock(lsl_lock_t *lock);
extern void lsl_lock(lsl_lock_t *lock);
extern void lsl_unlock(lsl_lock_t *lock);

/* Fences: "load-load", "load-store", "store-load", "store-store", "aliased-loads", "data-dependent-loads",
   "control-dependent". */
extern void lsl_fence(const char *kind);

/* One step of the thread: no other thread is seen between the two. Blocks may nest; the outermost one counts. They bring no
   fence. */
extern void lsl_atomic_begin(void);
extern void lsl_atomic_end(void);

/* The operation takes effect here, unless it says so again later. Only `--linearizable` asks for it. Not part of CheckFence. */
extern void lsl_commit(void);

/* The structure of which a pointer points to a field. */
#define lsl_get_struct_pointer(structure, field, pointer) \
    ((structure *)((char *)(pointer) - offsetof(structure, field)))

/* The threads of a bounded test: how many there are, and the number of the one that runs, from 0 on. What runs before the
   threads is number 0, too. */
extern int lsl_get_number_threads(void);
extern int lsl_get_thread_id(void);

/* What an operation shows: its name, its arguments and its results. */
extern void lsl_observe_label(const char *operation);
extern void lsl_observe_input(const char *name, int value);
extern void lsl_observe_output(const char *name, int value);

/* Any number from `least` to `greatest`; 0 or 1. */
extern int lsl_nondet(int least, int greatest);
extern int lsl_choose(void);

/* Compare and swap: one atomic step without any fence. */
extern boolean_t lsl_cas_32(void *place, uint32 expected, uint32 desired);
extern boolean_t lsl_cas_64(void *place, uint64 expected, uint64 desired);
extern boolean_t lsl_cas_ptr(void *place, void *expected, void *desired);

/* The same on two places at once: both are compared, then both are written. */
extern boolean_t lsl_dcas_32(void *place1, void *place2, uint32 expected1, uint32 expected2, uint32 desired1,
                             uint32 desired2);
extern boolean_t lsl_dcas_64(void *place1, void *place2, uint64 expected1, uint64 expected2, uint64 desired1,
                             uint64 desired2);
extern boolean_t lsl_dcas_ptr(void *place1, void *place2, void *expected1, void *expected2, void *desired1,
                              void *desired2);

#endif
