/* The snark deque with double compare and swap (Detlefs, Flood, Garthwaite, Martin, Shavit, Steele, DISC 2000), as corrected by
   Doherty et al. (SPAA 2004): a pop claims the value of the node that it took with a further compare and swap, and an empty
   deque is reported only if the hat has not moved. snark_published.c has the pops as first published.

   Fences, with those of snark_push.h: load-load 2, store-store 4, aliased-loads 8, data-dependent-loads 4. The CheckFence
   thesis (appendix B.6) prints two aliased-loads fences less. On its model as printed that is not enough: without the
   two, the test Da fails (and Dm, too); `palisade fences` finds them.

   -D THESIS   without these two. */

#include "lsl_protos.h"
#include "snark_push.h"

#define CLAIMED (-1)

boolean_t pop_right(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    node_t *hat, *inner;
    value_t result;

    while (true) {
        hat = deque->right_hat;
        lsl_fence("data-dependent-loads"); /* the hat before the node under it */
        inner = hat->left;
        if (hat->right == hat) {
            lsl_fence("load-load"); /* the node before the hat is read again */
            if (deque->right_hat == hat)
                return false;
        } else {
            if (lsl_dcas_ptr(&deque->right_hat, &hat->left, hat, inner, inner, hat)) {
                result = hat->value;
#ifndef THESIS
                lsl_fence("aliased-loads"); /* what this pop read stays read for the next one */
#endif
                if (result != CLAIMED) {
                    if (lsl_cas_32(&hat->value, result, CLAIMED)) {
                        hat->right = deque->dummy;
                        *value = result;
                        return true;
                    } else
                        return false;
                } else
                    return false;
            }
        }
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    }
}

boolean_t pop_left(deque_t *deque, value_t *value, boolean_t allow_retries)
{
    node_t *hat, *inner;
    value_t result;

    while (true) {
        hat = deque->left_hat;
        lsl_fence("data-dependent-loads"); /* the hat before the node under it */
        inner = hat->right;
        if (hat->left == hat) {
            lsl_fence("load-load"); /* the node before the hat is read again */
            if (deque->left_hat == hat)
                return false;
        } else {
            if (lsl_dcas_ptr(&deque->left_hat, &hat->right, hat, inner, inner, hat)) {
                result = hat->value;
#ifndef THESIS
                lsl_fence("aliased-loads"); /* what this pop read stays read for the next one */
#endif
                if (result != CLAIMED) {
                    if (lsl_cas_32(&hat->value, result, CLAIMED)) {
                        hat->left = deque->dummy;
                        *value = result;
                        return true;
                    } else
                        return false;
                } else
                    return false;
            }
        }
        lsl_assume(allow_retries);
        lsl_fence("aliased-loads"); /* the next round does not read older values */
    }
}

#include "deque_harness.h"

/* What is expected.
   expect relaxed holds test='(al|rr)' reference=deque_ref.c
   expect sc holds test='(al|rr)' engine=axiomatic,operational,mcr
   expect tso holds test='(al|rr)' engine=axiomatic,mcr
   expect sc holds test='(al rr|ar rl)' engine=mcr */
