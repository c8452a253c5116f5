// Two asynchronous suppliers on an executor that starts a thread for each; their results are combined.
// expect sc pass
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

public class FutureAsync {
    public static void main(String[] args) {
        Executor threads = task -> new Thread(task).start();
        CompletableFuture<Integer> a = CompletableFuture.supplyAsync(() -> 20, threads);
        CompletableFuture<Integer> b = CompletableFuture.supplyAsync(() -> 22, threads);
        int sum = a.thenCombine(b, Integer::sum).join();
        assert sum == 42;
    }
}
