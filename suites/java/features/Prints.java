// What is printed, and what is in static fields in the end: `palisade outcomes suites/java/features/Prints.class`.
// expect sc pass
public class Prints {
    static int x;
    static volatile int seen;
    static String name;
    static final Object LOCK = new Object();

    static class First extends Thread {
        @Override
        public void run() {
            x = 1;
            System.out.print("a");
            name = "first";
        }
    }

    static class Second extends Thread {
        @Override
        public void run() {
            System.out.println(7);
            seen = x;
            if (seen == 1) {
                synchronized (LOCK) {
                    name = "second " + seen;
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        First first = new First();
        Second second = new Second();
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("x=" + x);
    }
}
