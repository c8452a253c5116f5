// Two tasks of a pool increment a plain counter: an increment can be lost.
// expect sc fail
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class PoolLost {
    static int counter;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.execute(() -> counter++);
        pool.execute(() -> counter++);
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.HOURS);
        if (counter != 2) {
            throw new IllegalStateException("lost an increment");
        }
    }
}
