/* Memory, as older programs name it. */
#include <stdlib.h>

extern void *memalign(size_t alignment, size_t size);
