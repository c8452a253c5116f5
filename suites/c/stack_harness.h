/* Operations of a bounded test of a stack: `i` sets it up, `p` pushes 0 or 1, `o` pops. The forms `p_n` and `o_n` look only at
   executions without retries.
   The including file defines value_t, stack_type, init_stack, push and pop. */

stack_type the_stack;

void i(void)
{
    init_stack(&the_stack);
}

static void test_push(boolean_t allow_retries)
{
    value_t val = lsl_nondet(0, 1);
    lsl_observe_label("push");
    lsl_observe_input("val", val);
    push(&the_stack, val, allow_retries);
}

static void test_pop(boolean_t allow_retries)
{
    value_t val;
    boolean_t res;
    lsl_observe_label("pop");
    res = pop(&the_stack, &val, allow_retries);
    lsl_observe_output("res", res);
    if (res)
        lsl_observe_output("val", val);
}

void p(void) { test_push(true); }
void o(void) { test_pop(true); }
void p_n(void) { test_push(false); }
void o_n(void) { test_pop(false); }
