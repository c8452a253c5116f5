// What was taken in stays the same.
// expect sc pass engine=axiomatic
// expect jmm-original pass
// expect jmm-revised pass
import palisade.ThreadBody;

public class TakesInTwice {
    static int x;
    static int y;

    @palisade.Special
    static native int input();

    @ThreadBody
    static void one() {
        int taken = input();
        x = taken;
        y = taken;
        assert x == y;
    }
}
