/* Another name of a header. */
#include <sys/cdefs.h>
