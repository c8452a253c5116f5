// A ConcurrentLinkedQueue loses nothing.
// expect sc pass
import java.util.concurrent.ConcurrentLinkedQueue;

public class LockFreeQueue {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        Thread other = new Thread(() -> queue.add(1));
        other.start();
        queue.add(2);
        other.join();
        int sum = queue.poll() + queue.poll();
        assert sum == 3 && queue.poll() == null;
    }
}
