/* Store buffering with relaxed accesses: neither thread need see what the other writes.
 * expect sc pass
 * expect tso fail memory-orders=ignored
 * expect rc11 fail
 * expect rc11 fail engine=mcr
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen_by_left, seen_by_right;

void *left(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    seen_by_left = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}

void *right(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    seen_by_right = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen_by_left || seen_by_right);
    return 0;
}
