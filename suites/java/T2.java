// T2 of the transformations of Sevcik and Aspinall, ECOOP 2008, section 4.1.
// expect jmm-original forbidden
// expect jmm-revised forbidden

import palisade.ThreadBody;

class T2 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void thread1() {
        int r1 = x;
        y = r1;
    }

    @ThreadBody
    static void thread2() {
        int r3;
        int r2 = y;
        if (r2 == 1) {
            r3 = y;
            x = r3;
        } else {
            x = 1;
        }
        assert r2 == 1;
    }
}
