// A loop with more iterations than are tried, in which nothing races: the states of sc decide what the axioms leave open.
// expect sc pass engine=operational,mcr
// expect jmm-revised pass engine=auto
import palisade.ThreadBody;

public class ManyTurns {
    static final Object monitor = new Object();
    static int sum;

    @ThreadBody
    static void many() {
        for (int turn = 0; turn < 5; turn++) {
            synchronized (monitor) {
                sum = sum + 1;
            }
        }
    }

    @ThreadBody
    static void one() {
        synchronized (monitor) {
            sum = sum + 1;
        }
    }

    @ThreadBody(after = {"many", "one"})
    static void after() {
        assert sum == 6;
    }
}
