// Peterson's mutual exclusion with bounded busy loops: 3 shared variables, and `x` to tell who is inside.
// A loop that gives up enters.
// expect sc fail
// expect tso fail
// expect pso fail
public class Peterson {
    static int flag1;
    static int flag2;
    static int turn;
    static int x;

    static class First implements Runnable {
        @Override
        public void run() {
            int n = 0;
            flag1 = 1;
            turn = 2;
            while (flag2 == 1 && turn == 2) {
                if (n++ > 1) {
                    break;
                }
            }
            x = 1;
            assert x == 1;
            flag1 = 0;
        }
    }

    static class Second implements Runnable {
        @Override
        public void run() {
            int n = 0;
            flag2 = 1;
            turn = 1;
            while (flag1 == 1 && turn == 1) {
                if (n++ > 1) {
                    break;
                }
            }
            x = 2;
            assert x == 2;
            flag2 = 0;
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
