// A semaphore with one permit is a lock.
// expect sc pass
import java.util.concurrent.Semaphore;

public class Permits {
    static final Semaphore permit = new Semaphore(1);
    static int inside;
    static int entries;

    static void enter() {
        permit.acquireUninterruptibly();
        inside++;
        if (inside != 1) {
            throw new IllegalStateException("two inside");
        }
        entries++;
        inside--;
        permit.release();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(Permits::enter);
        other.start();
        enter();
        other.join();
        assert entries == 2;
    }
}
