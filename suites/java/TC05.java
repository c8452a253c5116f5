// Case 5 of the causality test cases of the Java memory model working group.
// expect jmm-original forbidden
// expect jmm-revised forbidden

import palisade.ThreadBody;

class TC05 {
    static int x = 0;
    static int y = 0;
    static int z = 0;

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

    @ThreadBody
    static void thread3() {
        z = 1;
    }

    @ThreadBody
    static void thread4() {
        int r3 = z;
        x = r3;
        assert r3 == 0;
    }
}
