// Two diners who take two forks in the same order, one of them giving up early: nobody waits for ever.
// expect jmm-revised pass
// expect sc pass engine=operational,mcr
// expect jmm_over pass
import palisade.ThreadBody;

public class ForksInOrder {
    static int meals;
    static final Object left = new Object(), right = new Object();

    static void eat() {
        synchronized (left) {
            if (meals == 1) {
                return;
            }
            synchronized (right) {
                meals = meals + 1;
            }
        }
        synchronized (right) {
            meals = meals + 0;
        }
    }

    @ThreadBody
    static void one() {
        eat();
    }

    @ThreadBody
    static void two() {
        eat();
    }
}
