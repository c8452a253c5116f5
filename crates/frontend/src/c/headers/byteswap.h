/* Another name of a header. */
#include <endian.h>
