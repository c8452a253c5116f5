// expect rc11 pass
// expect sc pass engine=operational
// expect tso pass engine=mcr
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* Jobs with functions and arguments, as pools of threads have them: the argument of a job is not that of a worker, though both have
   functions of one type; and what is done if a thread cannot be started is not asked about. */

struct job {
    void *(*run)(void *);
    void *argument;
    struct job *next;
};

struct queue {
    struct job *first;
    pthread_mutex_t mutex;
    pthread_cond_t added;
};

static void *worker(void *argument)
{
    struct queue *queue = argument;
    for (;;) {
        pthread_mutex_lock(&queue->mutex);
        while (!queue->first) pthread_cond_wait(&queue->added, &queue->mutex);
        struct job *job = queue->first;
        queue->first = job->next;
        pthread_mutex_unlock(&queue->mutex);
        void *(*run)(void *) = job->run;
        if (run) run(job->argument);
        free(job);
        if (!run) return NULL;
    }
}

static int add(struct queue *queue, void *(*run)(void *), void *argument)
{
    struct job *job = malloc(sizeof *job), **end;
    if (!job) return -ENOBUFS;
    *job = (struct job){run, argument, NULL};
    pthread_mutex_lock(&queue->mutex);
    for (end = &queue->first; *end; end = &(*end)->next) ;
    *end = job;
    pthread_cond_signal(&queue->added);
    pthread_mutex_unlock(&queue->mutex);
    return 0;
}

static void *square(void *argument)
{
    int *numbers = argument;
    numbers[1] = numbers[0] * numbers[0];
    return NULL;
}

int main(void)
{
    int numbers[2] = {3, 0};
    pthread_t thread;
    struct queue *queue = malloc(sizeof *queue);
    queue->first = NULL;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->added, NULL);
    if (pthread_create(&thread, NULL, worker, queue) != 0) {
        pthread_cancel(thread);
        abort();
    }
    assert(add(queue, square, numbers) == 0 && add(queue, NULL, NULL) == 0);
    pthread_join(thread, NULL);
    assert(numbers[1] == 9 && !queue->first);
    free(queue);
    return 0;
}
