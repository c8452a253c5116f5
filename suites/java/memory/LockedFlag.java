// A thread waits for a variable that it reads under a lock, beside a race that does no harm.
// expect jmm pass
// expect sc pass
public class LockedFlag {
    static boolean stop;
    static int last;

    static synchronized boolean isStopped() {
        return stop;
    }

    static synchronized void stop() {
        stop = true;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread waiting = new Thread(() -> {
            last = 1;
            while (!isStopped()) {
            }
        });
        waiting.start();
        last = 2;
        stop();
        waiting.join();
    }
}
