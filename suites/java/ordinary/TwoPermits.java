// A semaphore with two permits is no lock.
// expect sc fail
import java.util.concurrent.Semaphore;

public class TwoPermits {
    static final Semaphore permit = new Semaphore(2);
    static volatile int inside;

    static void enter() {
        permit.acquireUninterruptibly();
        inside = inside + 1;
        if (inside != 1) {
            throw new IllegalStateException("two inside");
        }
        inside = inside - 1;
        permit.release();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(TwoPermits::enter);
        other.start();
        enter();
        other.join();
    }
}
