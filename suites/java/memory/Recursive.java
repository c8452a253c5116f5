// A method that calls itself is put in place of its calls as deep as executions go.
// expect sc fail engine=axiomatic
// expect sc fail engine=operational
// expect jmm-revised fail
// expect jmm fail
// expect jmm_under fail
import palisade.ThreadBody;

public class Recursive {
    static int x;
    static int y;

    static int count(int n) {
        if (n <= 0) {
            return 0;
        }
        return 1 + count(n - 1);
    }

    @ThreadBody
    static void one() {
        int r = x;
        y = count(r);
    }

    @ThreadBody
    static void two() {
        x = 3;
        int b = y;
        assert b != 3;
    }
}
