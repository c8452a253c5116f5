// Case 6 of the causality test cases of the Java memory model working group.
// Two different statements perform the same action in different executions.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC06 {
    static int A = 0;
    static int B = 0;

    @ThreadBody
    static void thread1() {
        int r1 = A;
        if (r1 == 1) {
            B = 1;
        }
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r2 = B;
        if (r2 == 1) {
            A = 1;
        }
        if (r2 == 0) {
            A = 1;
        }
        assert r2 == 1;
    }
}
