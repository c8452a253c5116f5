// Peterson's mutual exclusion with an array of flags, without volatile fields. Two increments may become one.
// expect sc pass
// expect tso fail
// expect pso fail
// expect jmm_over fail
public class Peterson {
    static final boolean[] flag = new boolean[2];
    static int turn;
    static int x;

    static class Client extends Thread {
        private final int me;

        Client(int me) {
            this.me = me;
        }

        @Override
        public void run() {
            int other = 1 - me;
            flag[me] = true;
            turn = other;
            while (flag[other] && turn == other) {}
            x++;
            flag[me] = false;
        }
    }

    public static void main(String[] args) {
        Client first = new Client(0);
        Client second = new Client(1);
        first.start();
        second.start();
        try {
            first.join();
            second.join();
            assert x == 2;
        } catch (InterruptedException e) {
            // Nobody interrupts this thread.
        }
    }
}
