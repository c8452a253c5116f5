/* Another name of a header. */
#include <sys/syscall.h>
