// Java PathRelaxer, figure 11: the first thread reads the object that the second will make. There is one by then: the access is no null
// pointer, and sees what that object holds.
// expect sc fail
// expect jmm_under fail
// expect jmm_over fail
// expect jmm fail
public class Fig11 {
    static class Helper {
        final int x;

        Helper(int x) {
            this.x = x;
        }
    }

    static Helper h;

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread() {
            @Override
            public void run() {
                h = new Helper(3);
                int r1 = h.x;
                assert r1 == 3;
            }
        };
        Thread second = new Thread() {
            @Override
            public void run() {
                h = new Helper(5);
            }
        };
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
