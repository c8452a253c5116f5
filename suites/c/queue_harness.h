/* Operations of a bounded test of a queue: `i` sets it up, `e` enqueues 0 or 1, `d` dequeues.
   The including file defines value_t, queue_t, init_queue, enqueue and dequeue. */

queue_t the_queue;

void i(void)
{
    init_queue(&the_queue);
}

void e(void)
{
    value_t val = lsl_nondet(0, 1);
    lsl_observe_label("enqueue");
    lsl_observe_input("val", val);
    enqueue(&the_queue, val);
}

void d(void)
{
    value_t val;
    boolean_t res;
    lsl_observe_label("dequeue");
    res = dequeue(&the_queue, &val);
    lsl_observe_output("res", res);
    if (res)
        lsl_observe_output("val", val);
}
