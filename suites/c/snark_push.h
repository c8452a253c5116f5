/* The part that snark.c and snark_published.c share: nodes, set-up and the two pushes.

   The deque is a doubly linked list between two hats. A node that is its own right (left) neighbour is past the right
   (left) end; an empty deque has both hats on such a node, at first the dummy. */

typedef int value_t; /* values of elements are not negative */

typedef struct node {
    struct node *right;
    struct node *left;
    value_t value;
} node_t;

typedef struct deque {
    node_t *dummy;
    node_t *left_hat;
    node_t *right_hat;
} deque_t;

void init_deque(deque_t *deque)
{
    node_t *dummy = lsl_malloc_noreuse(sizeof(node_t));
    dummy->left = dummy->right = dummy;
    deque->dummy = dummy;
    deque->left_hat = dummy;
    deque->right_hat = dummy;
}

void push_right(deque_t *deque, value_t value, boolean_t allow_retries)
{
    node_t *fresh, *hat, *beyond, *other_hat;

    fresh = lsl_malloc_noreuse(sizeof(node_t));
    fresh->right = deque->dummy;
    fresh->value = value;
    while (true) {
        hat = deque->right_hat;
        lsl_fence("data-dependent-loads"); /* the hat before the node under it */
        beyond = hat->right;
        if (beyond == hat) { /* empty: both hats go to the new node */
            fresh->left = deque->dummy;
            other_hat = deque->left_hat;
            lsl_fence("store-store"); /* the node's fields before the links to it */
            lsl_fence("aliased-loads"); /* the hats before they are compared */
            if (lsl_dcas_ptr(&deque->right_hat, &deque->left_hat, hat, other_hat, fresh, fresh))
                return;
        } else {
            fresh->left = hat;
            lsl_fence("store-store"); /* as above */
            if (lsl_dcas_ptr(&deque->right_hat, &hat->right, hat, beyond, fresh, fresh))
                return;
        }
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    }
}

void push_left(deque_t *deque, value_t value, boolean_t allow_retries)
{
    node_t *fresh, *hat, *beyond, *other_hat;

    fresh = lsl_malloc_noreuse(sizeof(node_t));
    fresh->left = deque->dummy;
    fresh->value = value;
    while (true) {
        hat = deque->left_hat;
        lsl_fence("data-dependent-loads"); /* the hat before the node under it */
        beyond = hat->left;
        if (beyond == hat) { /* empty: both hats go to the new node */
            fresh->right = deque->dummy;
            other_hat = deque->right_hat;
            lsl_fence("store-store"); /* the node's fields before the links to it */
            lsl_fence("aliased-loads"); /* the hats before they are compared */
            if (lsl_dcas_ptr(&deque->left_hat, &deque->right_hat, hat, other_hat, fresh, fresh))
                return;
        } else {
            fresh->right = hat;
            lsl_fence("store-store"); /* as above */
            if (lsl_dcas_ptr(&deque->left_hat, &hat->left, hat, beyond, fresh, fresh))
                return;
        }
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    }
}
