// To release a lock that is not held is an exception, which a program may catch.
// expect sc pass
// expect jmm pass
import java.util.concurrent.locks.ReentrantLock;

public class UnheldLock {
    public static void main(String[] arguments) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Thread holder = new Thread(() -> {
            lock.lock();
            lock.unlock();
        });
        holder.start();
        boolean isThrown = false;
        try {
            lock.unlock();
        } catch (IllegalMonitorStateException expected) {
            isThrown = true;
        }
        holder.join();
        if (!isThrown) {
            throw new IllegalStateException("a lock was released that is not held");
        }
    }
}
