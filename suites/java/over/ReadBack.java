// What a thread writes behind a read of a write that is still to come, and reads back before that has come.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm-revised fail
// expect jmm_over fail
public class ReadBack {
    static int x;
    static int y;
    static int own;
    static int seen;

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(() -> {
            if (x == 1) {
                own = 5;
                seen = own;
            }
            y = 1;
        });
        Thread second = new Thread(() -> x = y);
        first.start();
        second.start();
        first.join();
        second.join();
        assert seen != 5;
    }
}
