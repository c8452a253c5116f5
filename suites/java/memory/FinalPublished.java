// An object with a final field is published by a race: the field has its value (JLS 17.5).
// expect jmm-revised pass
// expect jmm-original pass
// expect pso pass engine=operational,mcr
// expect relaxed pass
// expect jmm_under pass
// expect jmm_over pass
import palisade.ThreadBody;

public class FinalPublished {
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
            assert point.x == 1;
        }
    }
}
