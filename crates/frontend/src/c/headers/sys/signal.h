/* Another name of a header. */
#include <signal.h>
