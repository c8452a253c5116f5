// A StampedLock's optimistic read that was validated saw one state.
// expect sc pass
import java.util.concurrent.locks.StampedLock;

public class Stamped {
    static final StampedLock lock = new StampedLock();
    static int x;
    static int y;

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> {
            long stamp = lock.writeLock();
            x = 1;
            y = 1;
            lock.unlockWrite(stamp);
        });
        writer.start();
        long stamp = lock.tryOptimisticRead();
        int a = x;
        int b = y;
        if (stamp != 0 && lock.validate(stamp)) {
            assert a == b : a + " " + b;
        }
        writer.join();
    }
}
