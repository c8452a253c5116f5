// An index that was good when it was tested and is out of bounds when it is used.
// expect rc11,sc,tso,pso violated engine=axiomatic,mcr
// expect sc,tso,pso violated engine=operational
#include <pthread.h>
#include <stdatomic.h>

static const int table[1] = {5};
static atomic_int at;

static void *spoil(void *unused) {
    atomic_store(&at, 1);
    return unused;
}

static void *use(void *unused) {
    int found = 0;
    if (atomic_load(&at) < 1) found = table[atomic_load(&at)];
    (void)found;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, spoil, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
