// An assertion fails while another thread runs for ever.
// expect sc fail
// expect tso fail
// expect pso fail
// expect jmm_under fail
// expect jmm_over fail
public class Serves {
    static volatile int request;
    static int answer;

    public static void main(String[] args) {
        new Thread(() -> {
            while (true) {
                if (request == 5) {
                    answer = 1;
                }
            }
        }).start();
        answer = 2;
        assert answer != 2;
    }
}
