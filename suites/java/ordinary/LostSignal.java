// await without looking first at what is awaited: a signal that comes before is lost.
// expect sc fail
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class LostSignal {
    static final ReentrantLock lock = new ReentrantLock();
    static final Condition ready = lock.newCondition();

    public static void main(String[] args) throws InterruptedException {
        new Thread(() -> {
            lock.lock();
            ready.signalAll();
            lock.unlock();
        }).start();
        lock.lock();
        ready.await();
        lock.unlock();
    }
}
