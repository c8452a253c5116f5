/* Operations of a bounded test of a set: `i` sets it up, `a` adds, `r` removes, `c` asks whether it contains 2 or 3. The
   forms `a_n`, `r_n` and `c_n` look only at executions without retries.
   The including file defines value_t, set_t, init_set, add_to_set, remove_from_set and set_contains. */

#define SENTINEL_MIN 0
#define VALUE_MIN 2
#define VALUE_MAX 3
#define SENTINEL_MAX 4

set_t the_set;

void i(void)
{
    init_set(&the_set, SENTINEL_MIN, SENTINEL_MAX);
}

static void test_add(boolean_t allow_retries)
{
    value_t val = lsl_nondet(VALUE_MIN, VALUE_MAX);
    boolean_t result;
    lsl_observe_label("add");
    lsl_observe_input("val", val);
    result = add_to_set(&the_set, val, allow_retries);
    lsl_observe_output("result", result);
}

static void test_remove(boolean_t allow_retries)
{
    value_t val = lsl_nondet(VALUE_MIN, VALUE_MAX);
    boolean_t result;
    lsl_observe_label("remove");
    lsl_observe_input("val", val);
    result = remove_from_set(&the_set, val, allow_retries);
    lsl_observe_output("result", result);
}

static void test_contains(boolean_t allow_retries)
{
    value_t val = lsl_nondet(VALUE_MIN, VALUE_MAX);
    boolean_t result;
    lsl_observe_label("contains");
    lsl_observe_input("val", val);
    result = set_contains(&the_set, val, allow_retries);
    lsl_observe_output("result", result);
}

void a(void) { test_add(true); }
void r(void) { test_remove(true); }
void c(void) { test_contains(true); }
void a_n(void) { test_add(false); }
void r_n(void) { test_remove(false); }
void c_n(void) { test_contains(false); }
