// A value is made once.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class ChmComputeIfAbsent {

    public static void main(String[] args) throws Exception {
        ConcurrentHashMap<Integer,Object> m = new ConcurrentHashMap<>();
        AtomicInteger made = new AtomicInteger();
        Runnable r = () -> m.computeIfAbsent(7, k -> { made.incrementAndGet(); return new Object(); });
        Thread a = new Thread(r), b = new Thread(r); a.start(); b.start(); a.join(); b.join();
        if (made.get() != 1) throw new AssertionError();
    }
}
