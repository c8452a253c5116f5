/* Another name of a header. */
#include <string.h>
