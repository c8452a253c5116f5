// What is first written behind a read that only a weak memory has, and read back.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_under fail
// expect jmm_over fail
public class Behind {
    static int x;
    static int y;

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> x = 1);
        Thread reader = new Thread(() -> {
            if (x == 1 && x == 0) {
                y = 1;
                assert y != 1;
            }
        });
        writer.start();
        reader.start();
        writer.join();
        reader.join();
    }
}
