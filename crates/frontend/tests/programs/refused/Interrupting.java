// expect error `wait` in a program that interrupts threads in Interrupting.main, line 8 is not supported
/** An interrupt would wake the thread that waits. */
public class Interrupting {
    public static void main(String[] args) throws InterruptedException {
        Thread.currentThread().interrupt();
        Object lock = new Object();
        synchronized (lock) {
            lock.wait();
        }
    }
}
