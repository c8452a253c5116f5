// What is done after an exit is not exclusive: both threads may count at once.
// expect jmm-revised fail
// expect jmm_over fail
// expect jmm_under fail
import palisade.ThreadBody;

public class OutsideTheSection {
    static int count;
    static boolean open = true;
    static final Object gate = new Object();

    static void pass() {
        synchronized (gate) {
            if (!open) return;
        }
        count = count + 1;
    }

    @ThreadBody
    static void one() {
        pass();
    }

    @ThreadBody
    static void two() {
        pass();
    }

    @ThreadBody(after = {"one", "two"})
    static void check() {
        assert count == 2;
    }
}
