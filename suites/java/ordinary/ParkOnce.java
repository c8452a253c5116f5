// A parked thread may go on without a permit.
// expect sc fail
// expect jmm_under fail
import java.util.concurrent.locks.LockSupport;

public class ParkOnce {
    private static volatile int answer;

    public static void main(String[] arguments) throws InterruptedException {
        Thread reader = new Thread(() -> {
            LockSupport.park();
            assert answer == 42;
        });
        reader.start();
        answer = 42;
        LockSupport.unpark(reader);
        reader.join();
    }
}
