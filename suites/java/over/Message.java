// Store buffering with an assertion whose message is put together: in an execution that fails objects are made.
// expect sc pass
// expect tso fail
// expect pso fail
// expect jmm_under fail
// expect jmm_over fail
public class Message {
    static int x;
    static int y;
    static final int[] seen = new int[2];

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(() -> {
            x = 1;
            seen[0] = y;
        });
        Thread second = new Thread(() -> {
            y = 1;
            seen[1] = x;
        });
        first.start();
        second.start();
        first.join();
        second.join();
        assert seen[0] + seen[1] > 0 : "both 0: " + seen[0];
    }
}
