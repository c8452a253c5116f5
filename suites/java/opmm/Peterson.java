// Peterson's mutual exclusion without volatile fields. The assertion is in the critical section.
// expect sc pass
// expect tso fail
// expect pso fail
// expect jmm_under fail
public class Peterson {
    static boolean flag0;
    static boolean flag1;
    static int turn;
    static int inside;

    static void critical() {
        inside++;
        assert inside == 1;
        inside--;
    }

    static class First extends Thread {
        @Override
        public void run() {
            flag0 = true;
            turn = 1;
            while (flag1 && turn == 1) {
                Thread.yield();
            }
            critical();
            flag0 = false;
        }
    }

    static class Second extends Thread {
        @Override
        public void run() {
            flag1 = true;
            turn = 0;
            while (flag0 && turn == 0) {
                Thread.yield();
            }
            critical();
            flag1 = false;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new First();
        Thread second = new Second();
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
