// A third thread that gets the object from the second has the guarantee as well.
// expect jmm-revised pass
// expect jmm-original pass
// expect pso pass engine=operational,mcr
// expect jmm_under pass
// expect jmm_over pass
import palisade.ThreadBody;

public class FinalPassedOn {
    static class Point {
        final int x;

        Point() {
            x = 1;
        }
    }

    static Point shared, next;

    @ThreadBody
    static void publish() {
        shared = new Point();
    }

    @ThreadBody
    static void pass() {
        next = shared;
    }

    @ThreadBody
    static void read() {
        Point point = next;
        if (point != null) {
            assert point.x == 1;
        }
    }
}
