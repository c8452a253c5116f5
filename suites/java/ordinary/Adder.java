// LongAdder sums what two threads add.
// expect sc pass
import java.util.concurrent.atomic.LongAdder;

public class Adder {
    public static void main(String[] args) throws InterruptedException {
        LongAdder adder = new LongAdder();
        Thread other = new Thread(() -> adder.add(2));
        other.start();
        adder.increment();
        other.join();
        long sum = adder.sum();
        if (sum != 3) {
            throw new IllegalStateException("sum " + sum);
        }
    }
}
