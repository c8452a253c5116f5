package palisade;

/**
 * The threads that wait at a monitor. They are kept here in programs that interrupt threads or wait for a time; in others
 * the machine keeps them.
 */
public final class WaitSet {
    /** One of them. */
    private static final class Waiter {
        /** 1 once it was notified. */
        volatile int notified;
        Waiter next;
    }

    private Waiter first;

    private WaitSet() {}

    /** Gives up a monitor, waits and acquires it again. Time may end as soon as the monitor is given up. */
    public static void await(Object monitor, boolean mayTimeOut) throws InterruptedException {
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        WaitSet set = of(monitor);
        Waiter waiter = new Waiter();
        waiter.next = set.first;
        set.first = waiter;
        int held = Machine.holds(monitor);
        Machine.setHolds(monitor, 0);
        // A monitor that is not held is given up all the same, which is an error.
        Machine.exit(monitor);
        for (int i = 1; i < held; i++) {
            Machine.exit(monitor);
        }
        if (!mayTimeOut) {
            set.awaitNotification(waiter);
        }
        for (int i = 0; i < held; i++) {
            Machine.enter(monitor);
        }
        Machine.setHolds(monitor, held);
        if (set.remove(waiter) && Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void awaitNotification(Waiter waiter) {
        if (Machine.interrupts()) {
            Machine.awaitUnlessInterrupted(waiter, 1, 1, 0, Thread.currentThread());
        } else {
            Machine.await(waiter, 1, 1, 0);
        }
    }

    /** The threads that wait at a monitor. */
    private static WaitSet of(Object monitor) {
        WaitSet known = (WaitSet) Machine.waitSet(monitor);
        if (known == null) {
            known = new WaitSet();
            Machine.setWaitSet(monitor, known);
        }
        return known;
    }

    /** Whether it was there: nobody has notified it. */
    private boolean remove(Waiter waiter) {
        Waiter before = null;
        for (Waiter at = first; at != null; at = at.next) {
            if (at == waiter) {
                if (before == null) {
                    first = at.next;
                } else {
                    before.next = at.next;
                }
                return true;
            }
            before = at;
        }
        return false;
    }

    /** Notifies all threads, or any one. */
    public static void notify(Object monitor, boolean all) {
        WaitSet set = (WaitSet) Machine.waitSet(monitor);
        if (set == null) {
            return;
        }
        if (!all) {
            set.notifyAny();
            return;
        }
        while (set.first != null) {
            set.first.notified = 1;
            set.first = set.first.next;
        }
    }

    private void notifyAny() {
        Waiter any = first;
        while (any != null && any.next != null && Machine.choose()) {
            any = any.next;
        }
        if (any != null) {
            remove(any);
            any.notified = 1;
        }
    }
}
