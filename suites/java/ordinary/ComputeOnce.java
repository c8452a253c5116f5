// computeIfAbsent runs its function once.
// expect sc pass
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

public class ComputeOnce {
    public static void main(String[] args) throws InterruptedException {
        Map<Integer, String> cache = new ConcurrentHashMap<>();
        AtomicInteger runs = new AtomicInteger();
        Runnable load = () -> cache.computeIfAbsent(7, key -> "v" + runs.incrementAndGet());
        Thread other = new Thread(load);
        other.start();
        load.run();
        other.join();
        assert runs.get() == 1 : "runs " + runs;
        assert cache.get(7).equals("v1");
    }
}
