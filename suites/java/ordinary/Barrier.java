// A cyclic barrier: both have written before either reads.
// expect sc pass
import java.util.concurrent.CyclicBarrier;

public class Barrier {
    static final int[] part = new int[2];

    public static void main(String[] args) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Thread other = new Thread(() -> {
            try {
                part[1] = 5;
                barrier.await();
                assert part[0] == 4;
            } catch (Exception wrong) {
                throw new IllegalStateException(wrong);
            }
        });
        other.start();
        part[0] = 4;
        barrier.await();
        assert part[1] == 5;
        other.join();
    }
}
