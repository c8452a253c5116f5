// expect error TimedWait.main, line 7
/** A wait that ends by itself. */
public class TimedWait {
    public static void main(String[] args) throws InterruptedException {
        Object lock = new Object();
        synchronized (lock) {
            lock.wait(10);
        }
    }
}
