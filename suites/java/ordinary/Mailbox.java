// A one-place buffer with a lock and two conditions.
// expect sc pass
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class Mailbox {
    private final Lock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Condition emptied = lock.newCondition();
    private Integer letter;

    void put(int value) throws InterruptedException {
        lock.lock();
        try {
            while (letter != null) {
                emptied.await();
            }
            letter = value;
            filled.signal();
        } finally {
            lock.unlock();
        }
    }

    int take() throws InterruptedException {
        lock.lock();
        try {
            while (letter == null) {
                filled.await();
            }
            int value = letter;
            letter = null;
            emptied.signal();
            return value;
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Mailbox box = new Mailbox();
        Thread sender = new Thread(() -> {
            try {
                box.put(1);
                box.put(2);
            } catch (InterruptedException end) {
                throw new IllegalStateException(end);
            }
        });
        sender.start();
        int first = box.take();
        int second = box.take();
        sender.join();
        if (first != 1 || second != 2) {
            throw new AssertionError(first + ", " + second);
        }
    }
}
