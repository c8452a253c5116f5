// A completable future that another thread completes.
// expect sc pass
import java.util.concurrent.CompletableFuture;

public class FutureChain {
    public static void main(String[] args) throws Exception {
        CompletableFuture<Integer> price = new CompletableFuture<>();
        CompletableFuture<String> text = price.thenApply(p -> p * 2).thenApply(p -> "price " + p);
        new Thread(() -> price.complete(21)).start();
        String got = text.get();
        System.out.println(got);
        if (!got.equals("price 42")) {
            throw new IllegalStateException(got);
        }
    }
}
