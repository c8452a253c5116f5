// Readers under a read lock never see a writer's intermediate state.
// expect sc pass
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class ReadersWriter {
    static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    static int low;
    static int high;

    static void read() {
        lock.readLock().lock();
        try {
            if (low != high) {
                throw new IllegalStateException(low + " and " + high);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(ReadersWriter::read, "reader");
        reader.start();
        lock.writeLock().lock();
        try {
            low++;
            high++;
        } finally {
            lock.writeLock().unlock();
        }
        reader.join();
    }
}
