// Two threads count in a ConcurrentHashMap.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class ChmCount {

    public static void main(String[] args) throws Exception {
        ConcurrentHashMap<String,Integer> m = new ConcurrentHashMap<>();
        Runnable r = () -> m.merge("a", 1, Integer::sum);
        Thread a = new Thread(r), b = new Thread(r); a.start(); b.start(); a.join(); b.join();
        if (m.get("a") != 2) throw new AssertionError("count " + m.get("a"));
    }
}
