// A future that fails has another value.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class CompletableExceptionally {

    public static void main(String[] args) throws Exception {
        CompletableFuture<Integer> f = CompletableFuture.supplyAsync(() -> { if (true) throw new IllegalStateException("no"); return 1; });
        int v = f.exceptionally(t -> -1).join();
        if (v != -1) throw new AssertionError(v);
    }
}
