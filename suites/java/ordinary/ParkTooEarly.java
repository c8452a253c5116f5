// Who unparks before it sets the flag may leave the other thread parked.
// expect sc fail
import java.util.concurrent.locks.LockSupport;

public class ParkTooEarly {
    static volatile boolean ready;

    public static void main(String[] args) {
        Thread waiter = new Thread(() -> {
            while (!ready) {
                LockSupport.park();
            }
        });
        waiter.start();
        LockSupport.unpark(waiter);
        ready = true;
    }
}
