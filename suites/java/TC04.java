// Case 4 of the causality test cases of the Java memory model working group.
// Out of thin air.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original forbidden
// expect jmm-revised forbidden

import palisade.ThreadBody;

class TC04 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        y = r1;
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r2 = y;
        x = r2;
        assert r2 == 1;
    }
}
