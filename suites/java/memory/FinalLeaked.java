// A constructor that lets its object escape gives no guarantee to who gets it so.
// expect jmm-revised fail
// expect jmm-original fail
// expect pso fail engine=operational,mcr
// expect jmm_under fail
// expect jmm_over fail
import palisade.ThreadBody;

public class FinalLeaked {
    static class Point {
        final int x;

        Point() {
            leaked = this;
            x = 1;
        }
    }

    static Point shared, leaked;

    @ThreadBody
    static void publish() {
        shared = new Point();
    }

    @ThreadBody
    static void read() {
        Point point = leaked;
        if (point != null) {
            assert point.x == 1;
        }
    }
}
