// Case 9a of the causality test cases of the Java memory model working group: as case 9, but x is 2 at first and a third
// thread makes it 0. The case argues that a compiler may let that thread run first; here it does. (Without that order Java's
// model has no execution with this outcome, since thread 1 would have to be justified by seeing 2; and Fig. 14 of Java Path
// Relaxer counts 6 writes, not the 8 that there would be.)
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC09a {
    static int x = 2;
    static int y = 0;

    @ThreadBody(after = {"thread3"})
    static void thread1() {
        int r1 = x;
        int r2 = 1 + r1 * r1 - r1;
        y = r2;
        assert r1 == 1;
        assert r2 == 1;
    }

    @ThreadBody(after = {"thread3"})
    static void thread2() {
        int r3 = y;
        x = r3;
    }

    @ThreadBody
    static void thread3() {
        x = 0;
    }
}
