// T1 of the transformations of Sevcik and Aspinall, ECOOP 2008, section 4.1.
// expect jmm-original forbidden
// expect jmm-revised forbidden

import palisade.ThreadBody;

class T1 {
    static int x = 0;
    static final Object m1 = new Object();
    static final Object m2 = new Object();

    @ThreadBody
    static void thread1() {
        synchronized (m1) {
            x = 2;
        }
    }

    @ThreadBody
    static void thread2() {
        synchronized (m2) {
            x = 1;
        }
    }

    @ThreadBody
    static void thread3() {
        int r1, r2;
        synchronized (m1) {
            synchronized (m2) {
                r1 = x;
                x = r1;
                r2 = x;
            }
        }
        assert r1 != r2;
    }
}
