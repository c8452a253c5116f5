/* Another name of a header. */
#include <linux/types.h>
