/* Blocks of memory whose size is only known at run time, or where a call is lowered: a queue of elements of any type, copies of
   any length, zeroed and moved memory.

   -D BROKEN    the copy is one byte too long.
   -D RACY      the copy is made without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct queue {
    pthread_mutex_t lock;
    size_t each, count;
    char cells[64];
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .each = sizeof(short) };

static void put(struct queue *q, const void *element)
{
#ifndef RACY
    pthread_mutex_lock(&q->lock);
#endif
    memcpy(q->cells + q->each * q->count++, element, q->each);
#ifndef RACY
    pthread_mutex_unlock(&q->lock);
#endif
}

/* The size is a constant wherever this is called, so that pointers are copied as a whole. */
static inline void copy(void *to, const void *from, size_t size) { memcpy(to, from, size); }

static int reverse(const char *text, char *to, size_t size)
{
    char own[8];
    memset(own, 0, size + 1);
#ifdef BROKEN
    memcpy(own, text, size + 5);
#else
    memmove(own, text, size);
#endif
    memmove(own + 1, own, size);
    for (size_t at = 0; at < size; at++)
        to[at] = own[size - at];
    return memcmp(to, text, size);
}

static void *worker(void *argument)
{
    short number = (short)(long)argument;
    int *pointers[2] = { NULL, NULL }, mine = (int)number;
    int *from = &mine;

    put(&queue, &number);
    copy(&pointers[1], &from, sizeof from);
    assert(pointers[1] == &mine && pointers[0] == NULL);
    return NULL;
}

/* What one thread does alone, with a size that the compiler does not know. */
static void alone(size_t count)
{
    char text[4];

    assert(reverse("abcd", text, count) > 0 && memcmp(text, "dcba", count) == 0);
    long *zeros = calloc(count, sizeof *zeros);
    for (size_t at = 0; at < count; at++)
        assert(zeros[at] == 0);
    free(zeros);
}

int main(void)
{
    pthread_t first, second;
    short values[2];

    pthread_create(&first, NULL, worker, (void *)1);
    pthread_create(&second, NULL, worker, (void *)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    alone((size_t)queue.count + 2);
    memcpy(values, queue.cells, queue.each * queue.count);
    assert(values[0] + values[1] == 3);
    return 0;
}

/* What is expected.
   expect sc,tso,pso,rc11 holds
   expect sc,rc11 violated -D BROKEN
   expect sc,rc11 violated -D RACY */
