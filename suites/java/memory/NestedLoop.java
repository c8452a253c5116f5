// Two monitors, one inside of the other, in a loop, and an exception on the way: nothing races, so that sc says what Java allows.
// expect sc,jmm-revised,jmm-original holds
public class NestedLoop {
    static final Object outer = new Object(), inner = new Object();
    static int count;

    static void add() {
        for (int i = 0; i < 2; i++) {
            synchronized (outer) {
                synchronized (inner) {
                    count++;
                }
            }
        }
    }

    static void addAndFail() {
        try {
            synchronized (inner) {
                count++;
                throw new IllegalStateException("enough");
            }
        } catch (IllegalStateException expected) {
            synchronized (inner) {
                count++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(NestedLoop::add), second = new Thread(NestedLoop::addAndFail);
        first.start();
        second.start();
        first.join();
        second.join();
        assert count == 4;
    }
}
