// Of a notification and an interrupt either may come first, so that not every wait ends by an exception.
// expect sc fail
public class WaitOrInterrupt {
    private static final Object monitor = new Object();
    private static boolean interrupted;

    public static void main(String[] arguments) throws InterruptedException {
        Thread waiter = new Thread(() -> {
            synchronized (monitor) {
                try {
                    monitor.wait();
                } catch (InterruptedException end) {
                    interrupted = true;
                }
            }
        });
        waiter.start();
        synchronized (monitor) {
            monitor.notify();
        }
        waiter.interrupt();
        waiter.join();
        assert interrupted : "notified";
    }
}
