// One thread hands a value to another.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class SynchronousQueueHand {

    public static void main(String[] args) throws Exception {
        SynchronousQueue<Integer> q = new SynchronousQueue<>();
        Thread t = new Thread(() -> { try { q.put(3); } catch (InterruptedException e) {} }); t.start();
        if (q.take() != 3) throw new AssertionError(); t.join();
    }
}
