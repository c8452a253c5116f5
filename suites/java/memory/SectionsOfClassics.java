// Critical sections under models without monitors of their own: they are held by one thread at a time, and order what stands before their ends
// with what stands after later beginnings.
// expect sc pass
// expect sc pass engine=axiomatic
// expect tso pass engine=axiomatic
// expect pso pass engine=axiomatic
// expect coherence pass
// expect pram pass
// expect causal pass
// expect pc pass
// expect jmm-revised pass
// expect jmm-original pass
import palisade.ThreadBody;

public class SectionsOfClassics {
    static final Object LOCK = new Object();
    static int x;
    static int y;
    static int before;

    @ThreadBody
    static void one() {
        before = 1;
        synchronized (LOCK) {
            x = 1;
            y = 1;
        }
    }

    @ThreadBody
    static void two() {
        int a;
        int b;
        synchronized (LOCK) {
            a = x;
            b = y;
        }
        assert a == b;
        if (a == 1) {
            assert before == 1;
        }
    }
}
