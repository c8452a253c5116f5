// A producer and a consumer with an ArrayBlockingQueue of capacity one.
// expect sc pass
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

public class QueueHandOff {
    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
        Thread producer = new Thread(() -> {
            try {
                queue.put("a");
                queue.put("b");
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        producer.start();
        String got = queue.take() + queue.take();
        System.out.println(got);
        assert got.equals("ab");
    }
}
