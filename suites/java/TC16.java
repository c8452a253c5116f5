// Case 16 of the causality test cases of the Java memory model working group.
// expect sc forbidden
// expect coherence forbidden
// expect pram allowed
// expect causal forbidden
// expect pc forbidden
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC16 {
    static int x = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        x = 1;
        assert r1 == 2;
    }

    @ThreadBody
    static void thread2() {
        int r2 = x;
        x = 2;
        assert r2 == 1;
    }
}
