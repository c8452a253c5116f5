// A LinkedBlockingQueue hands over in order.
// expect sc pass
import java.util.concurrent.LinkedBlockingQueue;

public class LinkedQueue {
    public static void main(String[] args) throws InterruptedException {
        LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        Thread producer = new Thread(() -> {
            queue.add(1);
            queue.add(2);
        });
        producer.start();
        int first = queue.take();
        int second = queue.take();
        producer.join();
        assert first == 1 && second == 2;
    }
}
