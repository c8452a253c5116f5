/* Another name of a header. */
#include <poll.h>
