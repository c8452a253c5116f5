// Interrupts, sleep, isAlive, join. Prints the same in every execution.
// expect sc pass
public class Interrupts {
    static volatile boolean running;
    static String log = "";

    static class Sleeper extends Thread {
        @Override
        public void run() {
            running = true;
            while (!isInterrupted()) {
                Thread.yield();
            }
            log += "woken " + Thread.interrupted() + ";";
        }
    }

    static void sleeping() {
        Thread.currentThread().interrupt();
        System.out.println(Thread.currentThread().isInterrupted());
        try {
            Thread.sleep(1000);
            System.out.println("slept");
        } catch (InterruptedException wrong) {
            System.out.println("no sleep, " + Thread.currentThread().isInterrupted());
        }
        Thread.currentThread().interrupt();
        System.out.println(Thread.interrupted() + " " + Thread.interrupted());
    }

    static void joining() throws InterruptedException {
        Thread done = new Thread(() -> log += "done;");
        System.out.println(done.isAlive());
        done.start();
        done.join();
        System.out.println(done.isAlive());
        Thread.currentThread().interrupt();
        try {
            done.join();
            System.out.println("joined " + Thread.interrupted());
        } catch (InterruptedException wrong) {
            System.out.println("join interrupted");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        sleeping();
        joining();
        Sleeper sleeper = new Sleeper();
        sleeper.start();
        while (!running) {
            Thread.yield();
        }
        sleeper.interrupt();
        sleeper.join();
        System.out.println(log + sleeper.isAlive());
        try {
            sleeper.start();
        } catch (IllegalThreadStateException wrong) {
            System.out.println("started twice");
        }
    }
}
