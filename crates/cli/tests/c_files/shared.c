#include "shared.h"
#include <assert.h>
int main(void) { assert(use() + both() == 2); return 0; }
