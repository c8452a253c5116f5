// Waits of a minute or more at a condition do not end for want of time, also where they are given in nanoseconds.
// expect sc pass
// expect jmm pass
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class AwaitNanosLong {
    static final Lock lock = new ReentrantLock();
    static final Condition changed = lock.newCondition();
    static boolean ready;

    public static void main(String[] args) throws Exception {
        Thread setter = new Thread(() -> {
            lock.lock();
            try {
                ready = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        });
        setter.start();
        lock.lock();
        try {
            long left = TimeUnit.MINUTES.toNanos(2);
            while (!ready) {
                if (left <= 0) {
                    throw new IllegalStateException("timed out");
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
        setter.join();
    }
}
