// Case 7 of the causality test cases of the Java memory model working group.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC07 {
    static int x = 0;
    static int y = 0;
    static int z = 0;

    @ThreadBody
    static void thread1() {
        int r1 = z;
        int r2 = x;
        y = r2;
        assert r1 == 1;
        assert r2 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r3 = y;
        z = r3;
        x = 1;
        assert r3 == 1;
    }
}
