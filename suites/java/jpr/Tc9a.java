// Case 9a of the causality test cases with threads that nothing orders: x is 2 at first and a third thread makes it 0. That
// thread 1 sees 1, which thread 2 took from it, is found from above, where Java's model has no such execution.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_over fail
public class Tc9a {
    static int x = 2;
    static int y;
    static int r1;
    static int r3;

    static class First extends Thread {
        @Override
        public void run() {
            int seen = x;
            y = 1 + seen * seen - seen;
            r1 = seen;
        }
    }

    static class Second extends Thread {
        @Override
        public void run() {
            int seen = y;
            x = seen;
            r3 = seen;
        }
    }

    static class Third extends Thread {
        @Override
        public void run() {
            x = 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = {new First(), new Second(), new Third()};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assert r1 != 1 || r3 != 1;
    }
}
