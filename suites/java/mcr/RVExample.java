// An error that needs several changes of thread: the value 3 of `y` is reached in one way only.
// expect sc fail
// expect tso fail
// expect pso fail
public class RVExample {
    static int x;
    static int y;
    static final Object lock = new Object();

    static class First implements Runnable {
        @Override
        public void run() {
            for (int i = 0; i < 2; i++) {
                synchronized (lock) {
                    x = 0;
                }
                if (x > 0) {
                    y++;
                    x = 2;
                }
            }
        }
    }

    static class Second implements Runnable {
        @Override
        public void run() {
            for (int i = 0; i < 2; i++) {
                if (x > 1) {
                    if (y == 3) {
                        throw new IllegalStateException("y is 3");
                    } else {
                        y = 2;
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(new First());
        Thread second = new Thread(new Second());
        first.start();
        second.start();
        for (int i = 0; i < 2; i++) {
            synchronized (lock) {
                x = 1;
                y = 1;
            }
        }
        first.join();
        second.join();
    }
}
