// Case 20 of the causality test cases of the Java memory model working group.
// Case 18 with its first thread split in two; its authors expect it to be allowed.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed
// expect jmm-original forbidden
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC20 {
    static int x = 0;
    static int y = 0;

    @ThreadBody(after = {"thread3"})
    static void thread1() {
        int r1 = x;
        y = r1;
        assert r1 == 42;
    }

    @ThreadBody
    static void thread2() {
        int r2 = y;
        x = r2;
        assert r2 == 42;
    }

    @ThreadBody
    static void thread3() {
        int r3 = x;
        if (r3 == 0) {
            x = 42;
        }
        assert r3 == 42;
    }
}
