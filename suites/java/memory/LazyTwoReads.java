// Double-checked locking that reads the field twice. Java's models let the second read see null although the first one did not, and an
// execution in which a thread runs into that exception may justify another.
// expect sc pass engine=axiomatic
// expect sc pass engine=operational
// expect jmm-original fail
// expect jmm-revised fail
// expect jmm fail
// expect jmm_under fail
import palisade.ThreadBody;

public class LazyTwoReads {
    static class Helper {
        int number;

        Helper() {
            number = 42;
        }
    }

    static final Object LOCK = new Object();
    static Helper helper;

    static Helper get() {
        if (helper == null) {
            synchronized (LOCK) {
                if (helper == null) {
                    helper = new Helper();
                }
            }
        }
        return helper;
    }

    @ThreadBody
    static void one() {
        assert get().number == 42;
    }

    @ThreadBody
    static void two() {
        assert get().number == 42;
    }
}
