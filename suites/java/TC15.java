// Case 15 of the causality test cases of the Java memory model working group.
// MemSAT lets the loop run at most twice, and finds the outcome forbidden; what comes later is not known.
// expect jmm-original unknown question=possible unroll=2
// expect jmm-revised unknown question=possible unroll=2

import palisade.ThreadBody;

class TC15 {
    static int a = 0;
    static int b = 0;
    static volatile int x = 0;
    static volatile int y = 0;

    @ThreadBody
    static void thread1() {
        int r1;
        int r0 = x;
        if (r0 == 1) {
            r1 = a;
        } else {
            r1 = 0;
        }
        if (r1 == 0) {
            y = 1;
        } else {
            b = 1;
        }
        assert r0 == 1;
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r2, r3;
        do {
            r2 = y;
            r3 = b;
        } while (r2 + r3 == 0);
        a = 1;
        assert r2 == 0;
        assert r3 == 1;
    }

    @ThreadBody
    static void thread3() {
        x = 1;
    }
}
