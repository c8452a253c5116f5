// A thread spins until something is written behind a weak read; without it, it spins for ever.
// expect sc fail
// expect tso fail
// expect pso fail
// expect jmm_under fail
// expect jmm_over fail
public class Spins {
    static int first;
    static int second;

    public static void main(String[] args) {
        new Thread(() -> {
            while (second == 0) {
            }
            assert false;
        }).start();
        new Thread(() -> first = 1).start();
        new Thread(() -> {
            if (first == 1 && first == 0) {
                second = 1;
            }
        }).start();
    }
}
