// A thread waits for a time at a monitor, over and over, until another has set a flag.
// expect sc pass
// expect jmm_over pass
public class TimedWaits {
    private static final Object monitor = new Object();
    private static boolean ready;

    public static void main(String[] arguments) throws InterruptedException {
        Thread setter = new Thread(() -> {
            synchronized (monitor) {
                ready = true;
                monitor.notifyAll();
            }
        });
        setter.start();
        synchronized (monitor) {
            while (!ready) {
                monitor.wait(100);
            }
        }
        setter.join();
    }
}
