// expect rc11 pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
int main(void) { free(0); int *p = calloc(1, 4); int v = *p; assert(v == 0); free(p); return 0; }
