// What a task throws comes out of get as the cause.
// expect sc pass
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class TaskFails {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        Future<Integer> wrong = pool.submit(() -> Integer.parseInt("x"));
        pool.shutdown();
        try {
            wrong.get();
            throw new IllegalStateException("no exception");
        } catch (ExecutionException thrown) {
            assert thrown.getCause() instanceof NumberFormatException;
        }
    }
}
