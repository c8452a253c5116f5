// A pool that nobody shuts down keeps its thread waiting.
// expect sc fail
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class PoolForgotten {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        int sum = pool.submit(() -> 20 + 22).get();
        assert sum == 42;
    }
}
