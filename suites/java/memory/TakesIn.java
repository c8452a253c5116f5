// A special method that gives a number, which may be any of its type: an external action, as input is.
// expect sc fail engine=axiomatic
// expect sc fail engine=operational
// expect jmm-original fail
// expect jmm-revised fail
// expect jmm_under fail
import palisade.ThreadBody;

public class TakesIn {
    static int x;

    @palisade.Special
    static native boolean input();

    @ThreadBody
    static void one() {
        if (input()) {
            x = 1;
        }
    }

    @ThreadBody
    static void two() {
        assert x == 0;
    }
}
