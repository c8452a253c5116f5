// Case 3 of the causality test cases of the Java memory model working group.
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class TC03 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        int r2 = x;
        if (r1 == r2) {
            y = 1;
        }
        assert r1 == 1;
        assert r2 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r3 = y;
        x = r3;
        assert r3 == 1;
    }

    @ThreadBody
    static void thread3() {
        x = 2;
    }
}
