/* Another name of a header. */
#include <unistd.h>
