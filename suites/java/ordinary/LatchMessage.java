// What is written before countDown is seen after await.
// expect sc pass
// expect tso pass
import java.util.concurrent.CountDownLatch;

public class LatchMessage {
    static int left;
    static int right;

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
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
