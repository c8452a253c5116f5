package java.util.concurrent;

import palisade.Machine;

/** A barrier that nobody breaks: waiting with a limit of time or in a program that interrupts threads is refused. */
public class CyclicBarrier {
    /** The threads that pass the barrier together. */
    private static final class Generation {
        /** 1 once they may pass. */
        volatile int open;
    }

    private final int parties;
    private final Runnable action;
    private Generation generation = new Generation();
    private int missing;

    public CyclicBarrier(int parties) {
        this(parties, null);
    }

    public CyclicBarrier(int parties, Runnable action) {
        if (parties <= 0) {
            throw new IllegalArgumentException();
        }
        this.parties = parties;
        this.action = action;
        missing = parties;
    }

    public int await() throws InterruptedException, BrokenBarrierException {
        if (Machine.interrupts()) {
            Machine.refuse("`CyclicBarrier` in a program that interrupts threads");
        }
        Generation mine;
        int index;
        synchronized (this) {
            mine = generation;
            missing--;
            index = missing;
            if (index == 0) {
                if (action != null) {
                    action.run();
                }
                generation = new Generation();
                missing = parties;
                mine.open = 1;
                return 0;
            }
        }
        Machine.await(mine, 1, 1, 0);
        return index;
    }

    public int getParties() {
        return parties;
    }

    public boolean isBroken() {
        return false;
    }

    public synchronized int getNumberWaiting() {
        return parties - missing;
    }
}
