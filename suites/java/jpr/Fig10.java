// Java PathRelaxer, figure 10: the second thread may still see the object of the first, which has ended and to which nothing in memory
// leads any more. `done` is plain and orders nothing: who sees it set knows on sc that its own object came later.
// expect sc pass
// expect jmm_under fail
// expect jmm_over fail
// expect jmm fail
public class Fig10 {
    static class Helper {
        int x;

        Helper(int x) {
            this.x = x;
        }
    }

    static Helper h;
    static boolean done;

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread() {
            @Override
            public void run() {
                h = new Helper(3);
                done = true;
            }
        };
        Thread second = new Thread() {
            @Override
            public void run() {
                if (done) {
                    h = new Helper(5);
                    int r2 = h.x;
                    assert r2 != 3;
                }
            }
        };
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
