// expect sc,tso,pso pass engine=operational
// expect sc,tso,pso pass engine=axiomatic
// expect sc,tso pass engine=mcr
// expect tso fail -D TORN
// expect tso pass -D WORD
// expect rc11 pass -D WORD engine=axiomatic,mcr
// GCC's generic atomic operations on structs that are not declared atomic: a pointer with a counter, of 16 bytes, and two numbers in
// one word.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct node { struct node *next; };
#ifdef WORD
struct head { uint32_t top; uint32_t count; };
#else
struct head { struct node *top; uintptr_t count; } __attribute__((aligned(16)));
#endif

static struct head head;
static struct node nodes[2];

static void *push(void *argument)
{
    struct node *node = argument;
    struct head old, new;
    __atomic_load(&head, &old, __ATOMIC_ACQUIRE);
    do {
#ifdef WORD
        new.top = old.top + 1 + (node != nodes);
#else
        node->next = old.top;
        new.top = node;
#endif
        new.count = old.count + 1;
#ifdef TORN
        __atomic_store_n(&head.top, new.top, __ATOMIC_SEQ_CST);
        __atomic_store_n(&head.count, new.count, __ATOMIC_SEQ_CST);
        break;
#endif
    } while (!__atomic_compare_exchange(&head, &old, &new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, push, &nodes[0]);
    push(&nodes[1]);
    pthread_join(other, NULL);
    struct head empty = { 0, 0 }, last;
    __atomic_exchange(&head, &empty, &last, __ATOMIC_ACQUIRE);
    assert(last.count == 2);
#ifdef WORD
    assert(last.top == 3);
#else
    assert(last.top && last.top->next && !last.top->next->next);
#endif
    __atomic_store(&head, &empty, __ATOMIC_RELEASE);
    return 0;
}
