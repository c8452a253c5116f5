// After a section with several exits, and around an inner one of the same monitor, a section is still exclusive.
// expect jmm-revised pass
// expect jmm-original pass
// expect jmm_over pass
import palisade.ThreadBody;

public class LaterSection {
    static int count, seen;
    static boolean stop;
    static final Object monitor = new Object();

    static int look() {
        synchronized (monitor) {
            if (stop) return 1;
            if (seen == 5) return 2;
        }
        return 3;
    }

    @ThreadBody
    static void one() {
        look();
        synchronized (monitor) {
            count = count + 1;
        }
    }

    @ThreadBody
    static void two() {
        synchronized (monitor) {
            synchronized (monitor) {
                stop = true;
            }
            count = count + 1;
        }
    }

    @ThreadBody(after = {"one", "two"})
    static void check() {
        assert count == 2;
    }
}
