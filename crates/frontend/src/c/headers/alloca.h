/* Memory that ends with the function that asks for it. */
#ifndef PALISADE_ALLOCA_H
#define PALISADE_ALLOCA_H

#include <stddef.h>

extern void *alloca(size_t size);

#endif
