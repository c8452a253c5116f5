// Streams in one thread, and the result handed to another.
// expect sc pass
import java.util.stream.IntStream;

public class StreamSum {
    static int total;

    public static void main(String[] args) throws InterruptedException {
        total = IntStream.rangeClosed(1, 4).filter(i -> i % 2 == 0).map(i -> i * i).sum();
        Thread check = new Thread(() -> {
            if (total != 20) {
                throw new IllegalStateException("total " + total);
            }
        });
        check.start();
        check.join();
        System.out.println(total);
    }
}
