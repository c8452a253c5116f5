/** Threads that write until a volatile flag is set: each class is a program. */
class Until {
    static int x;
    static volatile boolean stop;

    static class Lambda {
        public static void main(String[] arguments) throws InterruptedException {
            Thread writer = new Thread(() -> { while (!stop) x = 1; });
            writer.start();
            stop = true;
            writer.join();
            assert x == 0 || x == 1;
        }
    }

    static class Lambdas {
        public static void main(String[] arguments) throws InterruptedException {
            Thread writer = new Thread(() -> { while (!stop) x = 1; });
            writer.start();
            Thread stopper = new Thread(() -> { stop = true; });
            stopper.start();
            writer.join();
            stopper.join();
            assert x == 0 || x == 1;
        }
    }

    static class Runnables {
        static class Writer implements Runnable {
            public void run() { while (!stop) x = 1; }
        }

        static class Stopper implements Runnable {
            public void run() { stop = true; }
        }

        public static void main(String[] arguments) throws InterruptedException {
            Thread writer = new Thread(new Writer());
            Thread stopper = new Thread(new Stopper());
            writer.start();
            stopper.start();
            writer.join();
            stopper.join();
            assert x == 0 || x == 1;
        }
    }

    static class Subclasses {
        long field;
        volatile boolean flag;

        static class Writer extends Thread {
            final Subclasses shared;
            Writer(Subclasses shared) { this.shared = shared; }
            public void run() { while (!shared.flag) shared.field = 1; }
        }

        static class Stopper extends Thread {
            final Subclasses shared;
            Stopper(Subclasses shared) { this.shared = shared; }
            public void run() { shared.flag = true; }
        }

        public static void main(String[] arguments) throws InterruptedException {
            Subclasses shared = new Subclasses();
            Thread writer = new Writer(shared), stopper = new Stopper(shared);
            writer.start();
            stopper.start();
            writer.join();
            stopper.join();
            assert shared.field == 0 || shared.field == 1;
        }
    }

    static class Called {
        int field;
        volatile boolean flag;

        void write() { field = 1; }

        public static void main(String[] arguments) throws InterruptedException {
            Called shared = new Called();
            Thread writer = new Thread(() -> { while (!shared.flag) shared.write(); });
            Thread stopper = new Thread(() -> { shared.flag = true; });
            writer.start();
            stopper.start();
            writer.join();
            stopper.join();
            assert shared.field == 0 || shared.field == 1;
        }
    }

    static class Two {
        public static void main(String[] arguments) throws InterruptedException {
            Thread one = new Thread(() -> { while (!stop) x = 1; });
            Thread two = new Thread(() -> { while (!stop) x = 2; });
            one.start();
            two.start();
            stop = true;
            one.join();
            two.join();
            assert x == 0 || x == 1 || x == 2;
        }
    }

    /** It fails: the writer may have written last. */
    static class Wrong {
        public static void main(String[] arguments) throws InterruptedException {
            Thread writer = new Thread(() -> { while (!stop) x = 1; });
            Thread stopper = new Thread(() -> { x = 2; stop = true; });
            writer.start();
            stopper.start();
            writer.join();
            stopper.join();
            assert x == 2;
        }
    }

    /** A race beside a thread that counts for ever. */
    static class Counting {
        static volatile int turns;

        public static void main(String[] arguments) {
            Thread counter = new Thread(() -> { while (true) turns++; });
            Thread writer = new Thread(() -> { x = 1; });
            counter.start();
            writer.start();
            assert x == 0;
        }
    }

    /** It fails: an array that the writer makes may show what is there. */
    static class Allocating {
        static int[] last = new int[2];

        public static void main(String[] arguments) throws InterruptedException {
            Thread writer = new Thread(() -> { while (!stop) { int[] next = { x }; last = next; } });
            Thread stopper = new Thread(() -> {
                x = 3;
                int[] seen = last;
                assert seen.length == 2 || seen[0] != 3;
                stop = true;
            });
            writer.start();
            stopper.start();
            writer.join();
            stopper.join();
        }
    }

    /** A loop that counts in an object of its thread comes to its end, beside a thread that counts for ever. */
    static class Owning {
        static volatile int turns;
        static volatile boolean found;
        int at;

        public static void main(String[] arguments) {
            new Thread(() -> { while (true) turns++; }).start();
            Owning cursor = new Owning();
            while (cursor.at++ < 20 && !found);
        }
    }
}
