// A daemon thread that never ends does not keep the program alive.
// expect jmm pass
// expect sc pass
public class Daemons {
    static volatile boolean seen;

    public static void main(String[] args) {
        Thread watcher = new Thread(() -> {
            synchronized (Daemons.class) {
                while (true) {
                    try {
                        Daemons.class.wait();
                    } catch (InterruptedException end) {
                        return;
                    }
                }
            }
        });
        watcher.setDaemon(true);
        watcher.start();
        seen = true;
        System.out.println("done " + watcher.isDaemon());
    }
}
