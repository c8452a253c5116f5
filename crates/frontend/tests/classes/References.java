/** Method references, a `Runnable` with fields, `wait` and `notify`, threads with names, one that nobody joins. */
class References {
    private int turn;
    static int done;

    static class Task implements Runnable {
        private final References home;
        private long steps = 2;

        Task(References home) {
            this.home = home;
        }

        @Override
        public void run() {
            home.pass(steps);
        }
    }

    private synchronized void pass(long steps) {
        turn += (int) steps;
        notifyAll();
    }

    private void await() {
        synchronized (this) {
            while (turn == 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    static void finish() {
        done = 1;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("start");
        References home = new References();
        Thread task = new Thread(new Task(home), "task");
        Thread waiting = new Thread(home::await);
        new Thread(References::finish).start();
        task.start();
        waiting.start();
        task.join();
        waiting.join();
        System.out.println(home.turn);
    }
}
