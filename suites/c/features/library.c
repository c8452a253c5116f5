/* Functions of the C library that are written in C here, and lists of `sys/queue.h`.

   -D BROKEN    the copy of a text is used after it is freed. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct job {
    int number;
    TAILQ_ENTRY(job) link;
};

static TAILQ_HEAD(, job) jobs = TAILQ_HEAD_INITIALIZER(jobs);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int by_number(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

static void *put(void *text)
{
    struct job *job = malloc(sizeof *job);

    job->number = (int)strtol(text, NULL, 0);
    pthread_mutex_lock(&lock);
    TAILQ_INSERT_TAIL(&jobs, job, link);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void texts(void)
{
    char *copy = strdup("key=value"), *rest = NULL, *end;
    char *key = strtok_r(copy, "=", &rest);

    assert(!strcmp(key, "key") && !strcmp(rest, "value") && strstr("value", "lu") && !memchr("ab", 'c', 2));
    assert(strtoul("0x1fz", &end, 16) == 31 && *end == 'z' && strtol("-12", NULL, 10) == -12);
    free(copy);
#ifdef BROKEN
    assert(*key == 'k');
#endif
}

int main(void)
{
    pthread_t first, second;
    int numbers[2], count = 0, wanted = 3;
    void *aligned;
    struct job *job;

    pthread_create(&first, NULL, put, "7");
    pthread_create(&second, NULL, put, "3");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    while ((job = TAILQ_FIRST(&jobs)) != NULL) {
        TAILQ_REMOVE(&jobs, job, link);
        numbers[count++] = job->number;
    }
    qsort(numbers, 2, sizeof *numbers, by_number);
    assert(count == 2 && numbers[0] == 3 && numbers[1] == 7);
    assert(bsearch(&wanted, numbers, 2, sizeof *numbers, by_number) == numbers);
    if (posix_memalign(&aligned, 64, sizeof(int)) == 0) {
        *(int *)aligned = 1;
        assert((unsigned long)aligned % sizeof(int) == 0);
        free(aligned);
    }
    texts();
    return 0;
}

/* What is expected.
   expect sc,tso,rc11 holds
   expect sc,rc11 violated -D BROKEN */
