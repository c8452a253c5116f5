// A timer's thread is a daemon here, and waits as long as the clock says, whatever the clocks of threads show.
// expect sc pass
// expect jmm pass
import java.util.Timer;
import java.util.TimerTask;

public class TimerFires {
    static boolean fired;

    public static void main(String[] arguments) throws InterruptedException {
        Timer timer = new Timer(true);
        Object lock = new Object();
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                synchronized (lock) {
                    fired = true;
                    lock.notifyAll();
                }
            }
        }, 10);
        synchronized (lock) {
            while (!fired) {
                lock.wait();
            }
        }
        timer.cancel();
    }
}
