/* Operations of a bounded test of a deque: `i` sets it up, `al` and `ar` add 0 or 1 at the left and right end, `rl` and `rr`
   remove there. The forms `al_n`, `ar_n`, `rl_n` and `rr_n` look only at executions without retries.
   The including file defines value_t, deque_t, init_deque, push_left, push_right, pop_left and pop_right. */

deque_t the_deque;

void i(void)
{
    init_deque(&the_deque);
}

static void test_push_left(boolean_t allow_retries)
{
    value_t val = lsl_nondet(0, 1);
    lsl_observe_label("pushleft");
    lsl_observe_input("value", val);
    push_left(&the_deque, val, allow_retries);
}

static void test_push_right(boolean_t allow_retries)
{
    value_t val = lsl_nondet(0, 1);
    lsl_observe_label("pushright");
    lsl_observe_input("value", val);
    push_right(&the_deque, val, allow_retries);
}

static void test_pop_left(boolean_t allow_retries)
{
    value_t val;
    boolean_t res;
    lsl_observe_label("popleft");
    res = pop_left(&the_deque, &val, allow_retries);
    lsl_observe_output("nonempty", res);
    if (res)
        lsl_observe_output("value", val);
}

static void test_pop_right(boolean_t allow_retries)
{
    value_t val;
    boolean_t res;
    lsl_observe_label("popright");
    res = pop_right(&the_deque, &val, allow_retries);
    lsl_observe_output("nonempty", res);
    if (res)
        lsl_observe_output("value", val);
}

void al(void) { test_push_left(true); }
void ar(void) { test_push_right(true); }
void rl(void) { test_pop_left(true); }
void rr(void) { test_pop_right(true); }
void al_n(void) { test_push_left(false); }
void ar_n(void) { test_push_right(false); }
void rl_n(void) { test_pop_left(false); }
void rr_n(void) { test_pop_right(false); }
