// Case 10 of the causality test cases of the Java memory model working group.
// expect jmm-original forbidden
// expect jmm-revised forbidden

import palisade.ThreadBody;

class TC10 {
    static int x = 0;
    static int y = 0;
    static int z = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        if (r1 == 1) {
            y = 1;
        }
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r2 = y;
        if (r2 == 1) {
            x = 1;
        }
        assert r2 == 1;
    }

    @ThreadBody
    static void thread3() {
        z = 1;
    }

    @ThreadBody
    static void thread4() {
        int r3 = z;
        if (r3 == 1) {
            x = 1;
        }
        assert r3 == 0;
    }
}
