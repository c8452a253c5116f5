// A fixed pool of two threads adds up what callables return.
// expect sc pass
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class PoolSum {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int n = i;
            futures.add(pool.submit(() -> n * n));
        }
        int sum = 0;
        for (Future<Integer> future : futures) {
            sum += future.get();
        }
        pool.shutdown();
        System.out.println(sum);
        if (sum != 5) {
            throw new IllegalStateException("sum " + sum);
        }
    }
}
