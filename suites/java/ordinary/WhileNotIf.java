// A condition that is asked again after each wait holds behind the loop, however a wait ends: at a monitor, at the condition of a
// lock, and parked.
// expect sc pass
// expect jmm-revised pass
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class WhileNotIf {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Condition told = lock.newCondition();
    private static boolean ready;
    private static boolean open;
    private static volatile boolean free;

    private static synchronized void await() throws InterruptedException {
        while (!ready) {
            WhileNotIf.class.wait();
        }
        assert ready;
    }

    private static synchronized void tell() {
        ready = true;
        WhileNotIf.class.notify();
    }

    private static void listen() throws InterruptedException {
        lock.lock();
        try {
            while (!open) {
                told.await();
            }
            assert open;
        } finally {
            lock.unlock();
        }
    }

    private static void say() {
        lock.lock();
        open = true;
        told.signal();
        lock.unlock();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread waiter = new Thread(() -> {
            try {
                await();
                listen();
            } catch (InterruptedException end) {
                return;
            }
            while (!free) {
                LockSupport.park();
            }
            assert free;
        });
        waiter.start();
        tell();
        say();
        free = true;
        LockSupport.unpark(waiter);
        waiter.join();
    }
}
