// A wait may end although nobody has notified the thread (JLS 17.2.1), so its condition has to be asked again.
// expect sc fail
// expect tso fail engine=mcr
// expect jmm-revised fail
// expect jmm_under fail
public class IfNotWhile {
    private static final Object monitor = new Object();
    private static boolean ready;

    private static void await() {
        synchronized (monitor) {
            try {
                if (!ready) {
                    monitor.wait();
                }
            } catch (InterruptedException end) {
                return;
            }
            assert ready;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread waiter = new Thread(IfNotWhile::await);
        waiter.start();
        synchronized (monitor) {
            ready = true;
            monitor.notifyAll();
        }
        waiter.join();
    }
}
