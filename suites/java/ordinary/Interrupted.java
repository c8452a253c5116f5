// A thread that waits for a latch ends when it is interrupted.
// expect sc pass
import java.util.concurrent.CountDownLatch;

public class Interrupted {
    static volatile boolean ended;

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            try {
                never.await();
                throw new IllegalStateException("nobody counted");
            } catch (InterruptedException end) {
                ended = true;
            }
        });
        waiter.start();
        waiter.interrupt();
        waiter.join();
        assert ended;
    }
}
