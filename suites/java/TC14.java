// Case 14 of the causality test cases of the Java memory model working group.
// MemSAT lets the loop run at most once, and finds the outcome forbidden; what comes later is not known.
// expect jmm-original unknown question=possible unroll=1
// expect jmm-revised unknown question=possible unroll=1

import palisade.ThreadBody;

class TC14 {
    static int a = 0;
    static int b = 0;
    static volatile int y = 0;

    @ThreadBody
    static void thread1() {
        int r1 = a;
        if (r1 == 0) {
            y = 1;
        } else {
            b = 1;
        }
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
}
