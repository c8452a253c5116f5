// That a wait may end by itself is nothing to count on: nobody notifies this thread, and it may wait for ever.
// expect sc fail
// expect jmm-revised fail
public class NobodyNotifies {
    private static boolean ready;

    private static synchronized void await() {
        try {
            while (!ready) {
                NobodyNotifies.class.wait();
            }
        } catch (InterruptedException end) {
            return;
        }
    }

    private static synchronized void set() {
        ready = true;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread waiter = new Thread(NobodyNotifies::await);
        waiter.start();
        set();
        waiter.join();
    }
}
