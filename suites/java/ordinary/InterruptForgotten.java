// A condition's wait takes the interrupt before it has the lock again: meanwhile others see neither the interrupt nor its effect.
// expect sc fail
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class InterruptForgotten {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Condition condition = lock.newCondition();
    private static boolean ended;

    public static void main(String[] arguments) {
        Thread waiter = new Thread(() -> {
            lock.lock();
            try {
                condition.await();
            } catch (InterruptedException end) {
                ended = true;
            } finally {
                lock.unlock();
            }
        });
        waiter.start();
        waiter.interrupt();
        lock.lock();
        if (!waiter.isInterrupted()) {
            assert ended;
        }
        lock.unlock();
    }
}
