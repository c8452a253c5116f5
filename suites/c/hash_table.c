/* A hash table by key: two buckets, each a list with its lock. Keys are chosen, so that the bucket is found by an index from a
   choice (CheckFence thesis, section 7.3.2: range analysis). With LOOKUP lookups take no lock, and need fences instead; with
   UNFENCED there are none. With ONE_LOCK_LESS a key is looked up before the lock is taken: it may be put twice. */
#include <lsl_protos.h>

#define BUCKETS 2

#if defined(LOOKUP) && !defined(UNFENCED)
#define FENCE(kind) lsl_fence(kind)
#else
#define FENCE(kind)
#endif

struct entry {
    int key;
    int value;
    struct entry *next;
};

struct bucket {
    lsl_lock_t lock;
    struct entry *first;
};

struct bucket table[BUCKETS];

void i(void)
{
    int index;
    for (index = 0; index < BUCKETS; index++) {
        lsl_initlock(&table[index].lock);
        table[index].first = 0;
    }
}

static struct entry *find(struct bucket *bucket, int key)
{
    struct entry *entry = bucket->first;
    FENCE("data-dependent-loads");
    while (entry != 0 && entry->key != key) {
        entry = entry->next;
        FENCE("data-dependent-loads");
    }
    return entry;
}

/* Puts a value under a key that has none yet. */
int put(int value)
{
    int key = lsl_nondet(0, 3), is_new;
    struct bucket *bucket = &table[key % BUCKETS];
    struct entry *entry;
    lsl_observe_input("key", key);
#ifdef ONE_LOCK_LESS
    is_new = find(bucket, key) == 0;
    lsl_lock(&bucket->lock);
#else
    lsl_lock(&bucket->lock);
    is_new = find(bucket, key) == 0;
#endif
    if (is_new) {
        entry = lsl_malloc_noreuse(sizeof(struct entry));
        entry->key = key;
        entry->value = value;
        entry->next = bucket->first;
        FENCE("store-store");
        bucket->first = entry;
    }
    lsl_unlock(&bucket->lock);
    return is_new;
}

int get(void)
{
    int key = lsl_nondet(0, 3), value = -1;
    struct bucket *bucket = &table[key % BUCKETS];
    struct entry *entry;
    lsl_observe_input("key", key);
#ifndef LOOKUP
    lsl_lock(&bucket->lock);
#endif
    entry = find(bucket, key);
    if (entry != 0)
        value = entry->value;
#ifndef LOOKUP
    lsl_unlock(&bucket->lock);
#endif
    return value;
}

/* What is expected.
   expect relaxed holds test='(put|get)'
   expect relaxed holds test='put(put|get)'
   expect relaxed holds test='(put|get)' -D LOOKUP
   expect relaxed violated test='(put|get)' -D LOOKUP -D UNFENCED
   expect tso holds test='(put|get)' -D LOOKUP -D UNFENCED
   expect sc violated test='(put|put)' -D ONE_LOCK_LESS engine=axiomatic,operational,mcr
   expect sc holds test='(put|get)' engine=axiomatic,operational,mcr */
