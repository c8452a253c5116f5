// Case 8 of the causality test cases of the Java memory model working group.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC08 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        int r2 = 1 + r1 * r1 - r1;
        y = r2;
        assert r1 == 1;
        assert r2 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r3 = y;
        x = r3;
    }
}
