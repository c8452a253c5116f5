// Deeper than calls are put in place nothing is decided.
// expect jmm-revised unknown
// expect sc unknown engine=axiomatic
// expect sc unknown engine=operational
import palisade.ThreadBody;

public class RecursiveTooDeep {
    static int x;
    static int y;

    static int last(int n) {
        if (n <= 0) {
            return 0;
        }
        return last(n - 1);
    }

    @ThreadBody
    static void one() {
        int r = x;
        y = last(r);
    }

    @ThreadBody
    static void two() {
        x = 50;
        int b = y;
        assert b == 0;
    }
}
