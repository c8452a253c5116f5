/* What a set is: the reference for lazylist.c and harris.c. For one operation at a time. */

#include "lsl_protos.h"

typedef int value_t;

typedef struct set {
    boolean_t present[5]; /* keys from 0 to 4 */
} set_t;

void init_set(set_t *set, value_t sentinel_min, value_t sentinel_max)
{
    set->present[0] = false;
    set->present[1] = false;
    set->present[2] = false;
    set->present[3] = false;
    set->present[4] = false;
}

boolean_t set_contains(set_t *set, value_t key, boolean_t allow_retries)
{
    return set->present[key];
}

boolean_t add_to_set(set_t *set, value_t key, boolean_t allow_retries)
{
    boolean_t before = set->present[key];
    set->present[key] = true;
    return !before;
}

boolean_t remove_from_set(set_t *set, value_t key, boolean_t allow_retries)
{
    boolean_t before = set->present[key];
    set->present[key] = false;
    return before;
}

#include "set_harness.h"
