// Agents sell tickets. Whether seats are left is asked before a ticket is counted, so that too many may be sold.
// expect sc fail
// expect tso fail
// expect pso fail
public class Airline implements Runnable {
    static final int AGENTS = 5;
    static final int CUSHION = 2;
    static final int SEATS = AGENTS - CUSHION;

    static int sold;
    static boolean stop;

    static synchronized void count() {
        sold++;
    }

    static synchronized boolean isFull() {
        return sold >= SEATS;
    }

    @Override
    public void run() {
        if (!isFull()) {
            count();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] agents = new Thread[AGENTS];
        for (int i = 0; i < agents.length; i++) {
            agents[i] = new Thread(new Airline());
            agents[i].start();
        }
        for (Thread agent : agents) {
            agent.join();
        }
        assert sold <= SEATS : "oversold by " + (sold - SEATS);
    }
}
