// T5.t of the transformations of Sevcik and Aspinall, ECOOP 2008, section 4.1.
// T5 with the print and the write of x exchanged.
// expect jmm-original allowed
// expect jmm-revised allowed

import palisade.Special;
import palisade.ThreadBody;

class T5t {
    static int x = 0;
    static int y = 0;

    @Special
    static native void print(String text);

    @ThreadBody
    static void thread1() {
        int r1 = y;
        if (r1 == 1) {
            x = 1;
        } else {
            x = 1;
            print("!");
        }
        assert r1 == 1;
    }

    @ThreadBody
    static void thread2() {
        int r2 = x;
        y = r2;
        assert r2 == 1;
    }
}
