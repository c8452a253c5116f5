// An exception that ends a thread has a handler.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class UncaughtHandler {

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { throw new IllegalStateException("x"); });
        AtomicReference<String> seen = new AtomicReference<>();
        t.setUncaughtExceptionHandler((th, e) -> seen.set(e.getMessage())); t.start(); t.join();
        if (!"x".equals(seen.get())) throw new AssertionError();
    }
}
