/* Futexes. */
#include <palisade_futex.h>
