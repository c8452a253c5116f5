/** Threads of `main`: a lambda, a subclass, an anonymous class; code before, between and after. */
class Started {
    static int x;
    static int y;
    static final int[] table = new int[2];

    static class Worker extends Thread {
        private final int id;

        Worker(int id) {
            this.id = id;
        }

        @Override
        public void run() {
            table[id] = id + 1;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        x = 5;
        int local = x * 2;
        Thread first = new Thread(() -> y = local);
        Thread[] workers = new Thread[2];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        first.start();
        for (Thread worker : workers) {
            worker.start();
        }
        x = 6;
        first.join();
        Thread last = new Thread(new Runnable() {
            @Override
            public void run() {
                y = x;
            }
        });
        last.start();
        for (int i = 0; i < 2; i++) {
            try {
                workers[i].join();
            } catch (InterruptedException e) {
                x = 7;
            }
        }
        last.join();
        int sum = 0;
        for (int value : table) {
            sum += value;
        }
        assert sum == 3;
        assert x == 6 && y == 6;
    }
}
