/* The snark deque as first published (Detlefs, Flood, Garthwaite, Martin, Shavit, Steele, DISC 2000). It has two errors, both
   on sequentially consistent memory (Doherty et al., SPAA 2004): a pop can report an empty deque that was never empty (the
   test D0 finds it), and the two ends can pop the same node (Dq). snark.c is the corrected version.

   Fences are where snark.c has them. The published pops do not read the hat again before they report an empty deque; their
   load-load fence stands between reading the two hats. */

#include "lsl_protos.h"
#include "snark_push.h"

#define NO_VALUE (-1)

boolean_t pop_right(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    node_t *hat, *other_hat, *inner;

    while (true) {
        hat = deque->right_hat;
        lsl_fence("load-load"); /* this hat before the other one */
        other_hat = deque->left_hat;
        lsl_fence("data-dependent-loads"); /* the hat before the node under it */
        if (hat->right == hat)
            return false;
        if (hat == other_hat) { /* one element: both hats go back to the dummy */
            if (lsl_dcas_ptr(&deque->right_hat, &deque->left_hat, hat, other_hat, deque->dummy, deque->dummy)) {
                *value = hat->value;
                return true;
            }
        } else {
            inner = hat->left;
            if (lsl_dcas_ptr(&deque->right_hat, &hat->left, hat, inner, inner, hat)) {
                *value = hat->value;
                hat->right = deque->dummy;
                hat->value = NO_VALUE;
                return true;
            }
        }
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    }
}

boolean_t pop_left(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    node_t *hat, *other_hat, *inner;

    while (true) {
        hat = deque->left_hat;
        lsl_fence("load-load"); /* this hat before the other one */
        other_hat = deque->right_hat;
        lsl_fence("data-dependent-loads"); /* the hat before the node under it */
        if (hat->left == hat)
            return false;
        if (hat == other_hat) { /* one element: both hats go back to the dummy */
            if (lsl_dcas_ptr(&deque->left_hat, &deque->right_hat, hat, other_hat, deque->dummy, deque->dummy)) {
                *value = hat->value;
                return true;
            }
        } else {
            inner = hat->right;
            if (lsl_dcas_ptr(&deque->left_hat, &hat->right, hat, inner, inner, hat)) {
                *value = hat->value;
                hat->left = deque->dummy;
                hat->value = NO_VALUE;
                return true;
            }
        }
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    }
}

#include "deque_harness.h"

/* What is expected.
   expect sc violated test='(al rr|ar rl)' engine=axiomatic,mcr */
