/* Instructions of x86. */
#include <immintrin.h>
