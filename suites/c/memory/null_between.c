// The pointer may become null between the test and the use.
// expect rc11,sc,tso,pso violated engine=axiomatic,mcr
// expect sc,tso,pso violated engine=operational
#include <pthread.h>
#include <stdatomic.h>
struct limits { int low, high; };
static struct limits first = { 1, 10 };
static _Atomic(struct limits *) current = &first;
static int seen;
static void *reset(void *unused) { atomic_store(&current, 0); return 0; }
static void *use(void *unused) { if (atomic_load(&current)) seen = atomic_load(&current)->high; return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, reset, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
