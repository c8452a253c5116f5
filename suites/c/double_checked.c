/* Double-checked initialisation: an object is made once, by whoever comes first, and published by a pointer. With
   -D BROKEN the pointer is published and looked at by relaxed accesses: who sees it may not see the object. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BROKEN
#define PUBLISH memory_order_relaxed
#define LOOK memory_order_relaxed
#else
#define PUBLISH memory_order_release
#define LOOK memory_order_acquire
#endif

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) object;
static int made;

static int *get(void)
{
    int *seen = atomic_load_explicit(&object, LOOK);
    if (seen == 0) {
        pthread_mutex_lock(&making);
        seen = atomic_load_explicit(&object, memory_order_relaxed);
        if (seen == 0) {
            seen = malloc(sizeof(int));
            *seen = 42;
            made = made + 1;
            atomic_store_explicit(&object, seen, PUBLISH);
        }
        pthread_mutex_unlock(&making);
    }
    return seen;
}

static void *use(void *unused)
{
    int *mine = get();
    assert(*mine == 42);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, use, 0);
    pthread_create(&two, 0, use, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(made == 1);
    return 0;
}

/* What is expected.
   expect sc,tso holds engine=axiomatic,operational memory-orders=ignored
   expect pso violated engine=axiomatic,operational memory-orders=ignored
   expect sc,tso holds -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect pso violated -D BROKEN engine=axiomatic,operational memory-orders=ignored
   expect rc11 holds
   expect rc11 violated -D BROKEN
   expect tso,pso holds */
