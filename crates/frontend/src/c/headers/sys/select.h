/* Included by programs that also do other things; nothing of it is modelled. */
#include <sys/types.h>
