// expect sc,rc11 pass engine=axiomatic
// expect rc11 pass engine=mcr
// expect sc,tso pass engine=operational
// expect sc,rc11 fail -D WRONG engine=axiomatic
// expect rc11 fail -D WRONG engine=mcr
// expect sc unknown -D DEEP engine=axiomatic
// expect sc pass -D DEEP engine=operational
// Functions that call themselves: a list and a tree are added up while another thread cuts the list short. The solver follows calls up to a
// depth, and says so where that is not enough.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct item { struct item *next; int value; };
struct tree { struct tree *left, *right; int value; };

static struct item c = { NULL, 3 }, b = { &c, 2 }, a = { &b, 1 };
static struct tree left = { NULL, NULL, 1 }, right = { NULL, NULL, 2 }, root = { &left, &right, 3 };
static _Atomic(struct item *) head = &a;

static int sum(const struct item *item) { return item ? item->value + sum(item->next) : 0; }
static int total(const struct tree *tree) { return tree ? tree->value + total(tree->left) + total(tree->right) : 0; }
static int odd(unsigned number);
static int even(unsigned number) { return number == 0 ? 1 : odd(number - 1); }
static int odd(unsigned number) { return number == 0 ? 0 : even(number - 1); }
static int down(int number) { return number == 0 ? 0 : 1 + down(number - 1); }

static void *cut(void *unused)
{
    atomic_store(&head, &b);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, cut, NULL);
    int seen = sum(atomic_load(&head));
    pthread_join(other, NULL);
#ifdef WRONG
    assert(seen == 6);
#else
    assert(seen == 6 || seen == 5);
#endif
#ifdef DEEP
    assert(down(60) == 60);
#else
    assert(total(&root) == 6 && even(4) && odd(3) && down(2) == 2);
#endif
    return 0;
}
