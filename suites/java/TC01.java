// Case 1 of the causality test cases of the Java memory model working group.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC01 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        if (r1 >= 0) {
            y = 1;
        }
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r2 = y;
        x = r2;
        assert r2 == 1;
    }
}
