/* Another name of a header. */
#include <fcntl.h>
