/* Memory, as older programs name it. */
#include <stdlib.h>

extern void *memalign(size_t alignment, size_t size);
extern size_t malloc_usable_size(void *block);
