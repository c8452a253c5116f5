// A wait at a condition of a lock may end without a signal.
// expect sc fail
// expect jmm_under fail
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class AwaitOnce {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Condition filled = lock.newCondition();
    private static int items;

    public static void main(String[] arguments) throws InterruptedException {
        Thread consumer = new Thread(() -> {
            lock.lock();
            try {
                if (items == 0) {
                    filled.awaitUninterruptibly();
                }
                items--;
                assert items >= 0;
            } finally {
                lock.unlock();
            }
        });
        consumer.start();
        lock.lock();
        items++;
        filled.signal();
        lock.unlock();
        consumer.join();
    }
}
