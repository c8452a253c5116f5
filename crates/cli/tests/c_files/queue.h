#ifndef QUEUE_H
#define QUEUE_H
#include <stdatomic.h>
#include <stddef.h>
typedef struct queue queue_t;
typedef int (*visitor)(int);
enum mode { EMPTY, FULL };
queue_t *queue_make(void);
void queue_push(queue_t *q, int value);
int queue_pop(queue_t *q);
static inline int twice(int x) { return 2 * x; }
extern _Atomic int pushes;
/* The tag is no name of the function, and the member none of the variables. */
struct depth { int count; };
int depth(struct depth *of);
#endif
