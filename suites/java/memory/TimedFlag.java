// A thread that waits for a plain variable gives up after a while.
// expect jmm pass
public class TimedFlag {
    static boolean stop;

    public static void main(String[] args) throws InterruptedException {
        Thread waiting = new Thread(() -> {
            long end = System.nanoTime() + 1000;
            while (!stop && System.nanoTime() < end) {
            }
        });
        waiting.start();
        stop = true;
        waiting.join();
    }
}
