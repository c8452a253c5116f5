// Who has read the address of an object that escaped may use what it has read there: so no guarantee, although the
// reference that is used was written after the constructor ended (JLS 17.5.1 wants *some* read of the address).
// expect jmm-revised fail
// expect jmm-original fail
// expect jmm_over fail
import palisade.ThreadBody;

public class FinalSeenTwice {
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
        Point early = leaked;
        Point point = shared;
        if (point != null) {
            assert point.x == 1;
        }
    }
}
