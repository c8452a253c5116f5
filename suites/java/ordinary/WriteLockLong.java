// To try for minutes to get the write lock does not end for want of time, and how often the read lock is held is known.
// expect sc pass
// expect jmm pass
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class WriteLockLong {
    public static void main(String[] arguments) throws InterruptedException {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        Thread reader = new Thread(() -> {
            lock.readLock().lock();
            lock.readLock().unlock();
        });
        reader.start();
        if (!lock.writeLock().tryLock(5, TimeUnit.MINUTES)) {
            throw new IllegalStateException("timed out");
        }
        lock.readLock().lock();
        lock.writeLock().unlock();
        if (lock.getReadLockCount() == 0) {
            throw new IllegalStateException("no read lock is held");
        }
        lock.readLock().unlock();
        reader.join();
        if (lock.getReadLockCount() != 0) {
            throw new IllegalStateException("a read lock is held");
        }
    }
}
