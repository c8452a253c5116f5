// The program ends itself with an error, behind a weak read.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_under fail
// expect jmm_over fail
public class Exits {
    static int x;
    static int y;

    public static void main(String[] args) {
        new Thread(() -> {
            x = 1;
            if (y == 0) {
                y = 5;
            }
        }).start();
        new Thread(() -> {
            if (x == 1 && x == 0) {
                System.exit(3);
            }
        }).start();
    }
}
