/* Another name of a header. */
#include <errno.h>
