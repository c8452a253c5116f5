// A thread waits for a plain variable: Java does not promise that it ever sees the change.
// expect jmm fail
// expect sc pass
// expect jmm_over pass
public class PlainFlag {
    static boolean stop;

    public static void main(String[] args) throws InterruptedException {
        Thread waiting = new Thread(() -> {
            while (!stop) {
            }
        });
        waiting.start();
        stop = true;
        waiting.join();
    }
}
