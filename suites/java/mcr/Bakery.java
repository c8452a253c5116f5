// Lamport's bakery for two threads with bounded busy loops: 2 arrays of 2 shared variables.
// A loop that gives up enters.
// expect sc fail
// expect tso fail
// expect pso fail
public class Bakery {
    static final int[] enter = new int[2];
    static final int[] number = new int[2];
    static int x;

    static class Customer implements Runnable {
        private final int i;

        Customer(int i) {
            this.i = i;
        }

        @Override
        public void run() {
            enter[i] = 1;
            int max = 0;
            for (int j = 0; j < 2; j++) {
                int current = number[j];
                if (current > max) {
                    max = current;
                }
            }
            number[i] = 1 + max;
            enter[i] = 0;
            for (int j = 0; j < 2; j++) {
                if (j == i) {
                    continue;
                }
                int n = 0;
                while (enter[j] == 1) {
                    if (n++ > 1) {
                        break;
                    }
                }
                int m = 0;
                while (number[j] != 0 && (number[j] < number[i] || number[j] == number[i] && j < i)) {
                    if (m++ > 1) {
                        break;
                    }
                }
            }
            x = i + 1;
            assert x == i + 1;
            number[i] = 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(new Customer(0));
        Thread second = new Thread(new Customer(1));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
