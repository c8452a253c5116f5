/* Operations of a bounded test of a work-stealing deque: `i` sets it up, the owner's `p` pushes 0 or 1 and `t` takes what it
   pushed last, a thief's `s` steals the oldest. Only one thread of a test may use `p` and `t`. The form `s_n` looks only at
   executions in which the thief does not have to try again.
   The including file defines value_t, deque_t, init_deque, push, take and steal. */

deque_t the_deque;

void i(void)
{
    init_deque(&the_deque);
}

void p(void)
{
    value_t val = lsl_nondet(0, 1);
    lsl_observe_label("push");
    lsl_observe_input("val", val);
    push(&the_deque, val);
}

void t(void)
{
    value_t val;
    boolean_t res;
    lsl_observe_label("take");
    res = take(&the_deque, &val);
    lsl_observe_output("res", res);
    if (res)
        lsl_observe_output("val", val);
}

static void test_steal(boolean_t allow_retries)
{
    value_t val;
    boolean_t res;
    lsl_observe_label("steal");
    res = steal(&the_deque, &val, allow_retries);
    lsl_observe_output("res", res);
    if (res)
        lsl_observe_output("val", val);
}

void s(void) { test_steal(true); }
void s_n(void) { test_steal(false); }
