// Case 17 of the causality test cases of the Java memory model working group.
// Sevcik and Aspinall report the original model to forbid it; a witness exists.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC17 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void thread1() {
        int r3 = x;
        if (r3 != 42) {
            x = 42;
        }
        int r1 = x;
        y = r1;
        assert r1 == 42;
        assert r3 == 42;
    }

    @ThreadBody
    static void thread2() {
        int r2 = y;
        x = r2;
        assert r2 == 42;
    }
}
