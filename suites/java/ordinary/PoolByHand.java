// A pool that is not made by `Executors` is the JDK's own: two of its threads increment a plain counter, and an increment can be lost.
// expect sc fail
// expect jmm fail
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

public class PoolByHand {
    static int counter;

    public static void main(String[] args) throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        Future<?> first = pool.submit(() -> counter++);
        Future<?> second = pool.submit(() -> counter++);
        first.get();
        second.get();
        pool.shutdown();
        if (counter != 2) {
            throw new IllegalStateException("lost an increment");
        }
    }
}
