// Sections of different monitors exclude nothing.
// expect sc fail
// expect sc fail engine=axiomatic
// expect tso fail engine=axiomatic
// expect coherence fail
// expect pram fail
// expect causal fail
// expect pc fail
import palisade.ThreadBody;

public class SectionsOfTwoLocks {
    static final Object ONE = new Object();
    static final Object TWO = new Object();
    static int x;
    static int y;

    @ThreadBody
    static void one() {
        synchronized (ONE) {
            x = 1;
            y = 1;
        }
    }

    @ThreadBody
    static void two() {
        synchronized (TWO) {
            int a = x;
            int b = y;
            assert a == b;
        }
    }
}
