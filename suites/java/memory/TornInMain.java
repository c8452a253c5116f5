// A double and an element of an array, of a program with `main`.
// expect sc pass engine=operational,mcr
// expect jmm_over pass
// expect sc fail --tearing engine=operational,mcr
// expect jmm_under fail --tearing
// expect jmm_over fail --tearing
public class TornInMain {
    static double ratio;
    static long[] sums = {5, 6};

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> {
            ratio = 1.5;
            sums[1] = -1;
        });
        writer.start();
        long sum = sums[1];
        assert sum == 6 || sum == -1;
        writer.join();
        assert sums[0] == 5 && sums[1] == -1 && ratio == 1.5;
    }
}
