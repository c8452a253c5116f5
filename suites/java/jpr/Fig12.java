// Java PathRelaxer, figure 12: what the first thread foresees the second would write only if it did not see it. The assertion fails on the
// way, in no execution that comes to its end as it was foreseen.
// expect sc pass
// expect jmm_over pass
// expect jmm pass
public class Fig12 {
    static int x;
    static int y;

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread() {
            @Override
            public void run() {
                int r1 = x;
                y = r1;
            }
        };
        Thread second = new Thread() {
            @Override
            public void run() {
                int r2 = y;
                assert r2 != 1;
                if (r2 == 0) {
                    x = 1;
                } else {
                    x = 0;
                }
            }
        };
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
