// Two ReentrantLocks taken in opposite orders.
// expect sc fail
import java.util.concurrent.locks.ReentrantLock;

public class DeadlockLocks {
    static final ReentrantLock left = new ReentrantLock();
    static final ReentrantLock right = new ReentrantLock();

    static void both(ReentrantLock first, ReentrantLock second) {
        first.lock();
        second.lock();
        second.unlock();
        first.unlock();
    }

    public static void main(String[] args) {
        new Thread(() -> both(left, right)).start();
        new Thread(() -> both(right, left)).start();
    }
}
