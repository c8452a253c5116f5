/* A list under a lock whose nodes are freed. A pointer on the way may point to the head, which is never freed, or into a node,
   which may be: only then is it asked whether the node is alive.

   -D BROKEN    a thread removes its node without the lock.

   expect sc,tso,pso holds engine=axiomatic,operational,mcr
   expect rc11 holds
   expect rc11 violated -D BROKEN */

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_out(struct node *out) {
    struct node **link = &head;

    while (*link && *link != out)
        link = &(*link)->next;
    if (*link) {
        *link = out->next;
        free(out);
    }
}

static void *other(void *mine) {
#ifdef BROKEN
    take_out(mine);
#else
    pthread_mutex_lock(&lock);
    take_out(mine);
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);

    first->next = 0;
    second->next = first;
    head = second;
    pthread_create(&thread, 0, other, first);
    pthread_mutex_lock(&lock);
    take_out(second);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    assert(!head);
    return 0;
}
