// T4.t of the transformations of Sevcik and Aspinall, ECOOP 2008, section 4.1.
// T4 with an irrelevant read of x added.
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.ThreadBody;

class T4t {
    static int x = 0;
    static int y = 0;
    static int z = 0;

    @ThreadBody
    static void thread1() {
        int r3, r4;
        int r1 = z;
        if (r1 == 0) {
            r3 = x;
            if (r3 == 1) {
                y = 1;
            }
        } else {
            r4 = x;
            r4 = 1;
            y = r1;
        }
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        x = 1;
        int r2 = y;
        z = r2;
        assert r2 == 1;
    }
}
