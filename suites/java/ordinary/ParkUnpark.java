// A permit that is given before park is not lost.
// expect sc pass
import java.util.concurrent.locks.LockSupport;

public class ParkUnpark {
    static volatile boolean ready;

    public static void main(String[] args) throws InterruptedException {
        Thread waiter = new Thread(() -> {
            while (!ready) {
                LockSupport.park();
            }
        });
        waiter.start();
        ready = true;
        LockSupport.unpark(waiter);
        waiter.join();
    }
}
