// T3.t of the transformations of Sevcik and Aspinall, ECOOP 2008, section 4.1.
// T3 with the read of x moved into the critical section.
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class T3t {
    static int x = 0;
    static int y = 0;
    static int z = 0;
    static final Object m = new Object();

    @ThreadBody
    static void thread1() {
        synchronized (m) {
            x = 2;
        }
    }

    @ThreadBody
    static void thread2() {
        synchronized (m) {
            x = 1;
        }
    }

    @ThreadBody
    static void thread3() {
        int r1, r2;
        synchronized (m) {
            r1 = x;
            r2 = z;
            if (r1 == 2) {
                y = 1;
            } else {
                y = r2;
            }
        }
        assert r1 == 1;
        assert r2 == 1;
    }

    @ThreadBody
    static void thread4() {
        int r3 = y;
        z = r3;
        assert r3 == 1;
    }
}
