// Dekker's mutual exclusion without volatile fields. The assertion is in the critical section.
// expect sc pass
// expect tso fail
// expect pso fail
// expect jmm_under fail
public class Dekker {
    static boolean wants0;
    static boolean wants1;
    static int turn;
    static int inside;

    static void critical() {
        inside++;
        assert inside == 1;
        inside--;
    }

    static class First implements Runnable {
        @Override
        public void run() {
            wants0 = true;
            while (wants1) {
                if (turn != 0) {
                    wants0 = false;
                    while (turn != 0) {
                        Thread.yield();
                    }
                    wants0 = true;
                }
            }
            critical();
            turn = 1;
            wants0 = false;
        }
    }

    static class Second implements Runnable {
        @Override
        public void run() {
            wants1 = true;
            while (wants0) {
                if (turn != 1) {
                    wants1 = false;
                    while (turn != 1) {
                        Thread.yield();
                    }
                    wants1 = true;
                }
            }
            critical();
            turn = 0;
            wants1 = false;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(new First());
        Thread second = new Thread(new Second());
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
