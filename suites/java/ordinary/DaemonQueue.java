// A daemon takes from a queue for ever.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class DaemonQueue {

    public static void main(String[] args) throws Exception {
        BlockingQueue<Integer> q = new LinkedBlockingQueue<>();
        CountDownLatch seen = new CountDownLatch(2);
        Thread t = new Thread(() -> { try { while (true) { q.take(); seen.countDown(); } } catch (InterruptedException e) {} });
        t.setDaemon(true); t.start();
        q.put(1); q.put(2); seen.await();
        if (!q.isEmpty()) throw new AssertionError();
    }
}
