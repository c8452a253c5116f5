// The same, but the field that is read is not final: it may be seen before it is set.
// expect jmm-revised fail
// expect jmm-original fail
// expect pso pass engine=operational,mcr
// expect relaxed fail
// expect jmm_under fail
// expect jmm_over fail
import palisade.ThreadBody;

public class PlainPublished {
    static class Point {
        final int x;
        int y;

        Point() {
            x = 1;
            y = 2;
        }
    }

    static Point shared;

    @ThreadBody
    static void publish() {
        shared = new Point();
    }

    @ThreadBody
    static void read() {
        Point point = shared;
        if (point != null) {
            assert point.y == 2;
        }
    }
}
