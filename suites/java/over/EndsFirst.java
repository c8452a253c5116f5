// The program ends itself with an error while another thread writes for ever.
// expect sc fail
// expect jmm_under fail
// expect jmm_over fail
public class EndsFirst {
    static int x;

    public static void main(String[] args) {
        new Thread(() -> {
            while (true) {
                x = 1;
            }
        }).start();
        if (x == 1) {
            System.exit(3);
        }
    }
}
