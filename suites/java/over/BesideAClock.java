// Two threads wait for each other for ever while a clock goes on, here also on machines on which reads may see old writes.
// expect sc,tso,pso violated engine=operational,mcr
// expect jmm_under fail
// expect jmm_over fail
// expect jmm violated
public class BesideAClock {
    static final Object ours = new Object();
    static final Object theirs = new Object();
    static volatile int hand;

    static void both(Object first, Object second) {
        synchronized (first) {
            synchronized (second) {
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread giver = new Thread(() -> both(ours, theirs));
        Thread taker = new Thread(() -> both(theirs, ours));
        new Thread(() -> {
            while (true) {
                hand = 1 - hand;
            }
        }).start();
        giver.start();
        taker.start();
        giver.join();
        taker.join();
    }
}
