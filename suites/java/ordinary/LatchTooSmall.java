// The latch counts only one of the two threads.
// expect sc fail
import java.util.concurrent.CountDownLatch;

public class LatchTooSmall {
    static volatile int left;
    static volatile int right;

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        new Thread(() -> {
            left = 1;
            done.countDown();
        }).start();
        new Thread(() -> {
            right = 2;
            done.countDown();
        }).start();
        done.await();
        assert left + right == 3 : "sum " + (left + right);
    }
}
