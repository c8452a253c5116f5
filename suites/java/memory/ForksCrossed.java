// Two diners who take two forks in opposite orders: each may hold one and wait for the other for ever. Executions of the model
// end, so it does not say; machines find the deadlock.
// expect jmm-revised unknown
// expect jmm-original unknown
// expect sc fail engine=operational,mcr
// expect jmm_over fail
import palisade.ThreadBody;

public class ForksCrossed {
    static int meals;
    static final Object left = new Object(), right = new Object();

    @ThreadBody
    static void one() {
        synchronized (left) {
            synchronized (right) {
                meals = meals + 1;
            }
        }
    }

    @ThreadBody
    static void two() {
        synchronized (right) {
            synchronized (left) {
                meals = meals + 1;
            }
        }
    }
}
