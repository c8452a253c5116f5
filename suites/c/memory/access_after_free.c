// expect rc11 fail
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdint.h>
#define rlx memory_order_relaxed
#define rel memory_order_release
#define acq memory_order_acquire
int main(void) { int *p = malloc(sizeof *p); *p = 1; free(p); int v = *p; (void)v; return 0; }
