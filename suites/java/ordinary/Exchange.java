// AtomicReferenceArray, AtomicMarkableReference, AtomicLongArray.
// expect sc pass
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicStampedReference;

public class Exchange {
    public static void main(String[] args) throws InterruptedException {
        AtomicIntegerArray counts = new AtomicIntegerArray(2);
        AtomicStampedReference<String> name = new AtomicStampedReference<>("a", 0);
        Thread other = new Thread(() -> {
            counts.incrementAndGet(1);
            name.compareAndSet("a", "b", 0, 1);
        });
        other.start();
        counts.addAndGet(1, 2);
        other.join();
        assert counts.get(1) == 3 && name.getStamp() == 1 && name.getReference().equals("b");
    }
}
