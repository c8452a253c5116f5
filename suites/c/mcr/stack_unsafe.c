/* Two threads pop without synchronisation between asking and popping: the stack may run empty. */

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int elements[4], top;

static void push(int element)
{
    pthread_mutex_lock(&guard);
    elements[top] = element;
    top = top + 1;
    pthread_mutex_unlock(&guard);
}

static int pop(void)
{
    int element;

    pthread_mutex_lock(&guard);
    assert(top != 0);
    top = top - 1;
    element = elements[top];
    pthread_mutex_unlock(&guard);
    return element;
}

static void *popper(void *unused)
{
    int i;

    for (i = 0; i < 2; i++) {
        if (top > 0)
            pop();
    }
    return 0;
}

int main(void)
{
    pthread_t one, two;

    push(1);
    push(2);
    push(3);
    pthread_create(&one, 0, popper, 0);
    pthread_create(&two, 0, popper, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

/* What is expected.
   expect sc,tso,pso violated engine=operational,mcr */
