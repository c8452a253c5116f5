// A thread that waits at a monitor which it holds twice goes on when it is interrupted, and holds the monitor twice again.
// expect sc pass
// expect jmm_over pass
public class WaitInterrupted {
    private static final Object monitor = new Object();
    private static boolean interrupted;

    private static synchronized void nothing() {}

    private static void await() {
        synchronized (monitor) {
            synchronized (monitor) {
                while (!interrupted) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException end) {
                        interrupted = true;
                    }
                }
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("the interrupt was not taken");
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread waiter = new Thread(WaitInterrupted::await);
        waiter.start();
        waiter.interrupt();
        synchronized (monitor) {
            nothing();
        }
        waiter.join();
        assert interrupted;
    }
}
