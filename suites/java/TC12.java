// Case 12 of the causality test cases of the Java memory model working group.
// The array reference is constant, so only the elements are shared locations.
// expect jmm-original forbidden
// expect jmm-revised forbidden

import palisade.ThreadBody;

class TC12 {
    static int x = 0;
    static int y = 0;
    static final int[] a = {1, 2};

    @ThreadBody
    static void thread1() {
        int r1 = x;
        a[r1] = 0;
        int r2 = a[0];
        y = r2;
        assert r1 == 1;
        assert r2 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r3 = y;
        x = r3;
        assert r3 == 1;
    }
}
