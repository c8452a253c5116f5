import palisade.Special;
import palisade.ThreadBody;

/** Synchronized methods and blocks, calls put in place, external actions. */
class Monitors {
    static final Monitors one = new Monitors();
    private int count;

    synchronized int increment(int by) {
        if (by == 0) {
            return count;
        }
        count += by;
        return count;
    }

    static synchronized void both() {
        one.increment(1);
        one.increment(2);
    }

    @Special
    static void send(int value, long other) {}

    @ThreadBody
    static void first() {
        both();
    }

    @ThreadBody(after = "first")
    static void second() {
        int r = one.increment(0);
        synchronized (one) {
            if (r > 1) {
                return;
            }
            send(r, 5L);
        }
        System.out.println();
    }
}
