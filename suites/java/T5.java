// T5 of the transformations of Sevcik and Aspinall, ECOOP 2008, section 4.1.
// Its authors expect it to be forbidden; the revised rule on external actions does not reach so far.
// expect jmm-original forbidden
// expect jmm-revised allowed

import palisade.Special;
import palisade.ThreadBody;

class T5 {
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
            print("!");
            x = 1;
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
