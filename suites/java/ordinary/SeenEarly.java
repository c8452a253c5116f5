// Each thread reads what the other writes afterwards: Java allows it, which only the machine from above finds. The exact model does
// not take the program, so that it is not confirmed.
// expect sc pass
// expect jmm unknown
import java.util.ArrayList;
import java.util.List;

public class SeenEarly {
    static int x, y, first, second;

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(() -> {
            first = x;
            y = 1;
        }));
        threads.add(new Thread(() -> {
            second = y;
            x = 1;
        }));
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (first == 1 && second == 1) {
            throw new IllegalStateException("each saw the other's write");
        }
    }
}
