// A critical section of one thread may stand between two of another one, and two threads may take turns.
// expect jmm-revised fail
// expect jmm-original fail
// expect sc fail engine=operational,mcr
// expect jmm_under fail
import palisade.ThreadBody;

public class BetweenSections {
    static final Object monitor = new Object();
    static int x;
    static int y;

    @ThreadBody
    static void twice() {
        synchronized (monitor) {
            x = 2;
        }
        synchronized (monitor) {
            x = 1;
        }
    }

    @ThreadBody
    static void between() {
        int seen;
        synchronized (monitor) {
            seen = x;
        }
        synchronized (monitor) {
            y = seen;
        }
        assert seen != 2;
    }
}
