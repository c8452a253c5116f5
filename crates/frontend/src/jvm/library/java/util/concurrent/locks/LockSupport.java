package java.util.concurrent.locks;

import palisade.Machine;

/** A thread that parks goes on when it has a permit or is interrupted; that it may go on without is chosen where it calls. */
public class LockSupport {
    private LockSupport() {}

    public static void park() {
        Machine.awaitPermit(Thread.currentThread());
    }

    public static void park(Object blocker) {
        park();
    }

    /** Time may end at once. */
    public static void parkNanos(long nanoseconds) {
        Thread.takePermit();
    }

    public static void parkNanos(Object blocker, long nanoseconds) {
        parkNanos(nanoseconds);
    }

    public static void parkUntil(Object blocker, long deadline) {
        Thread.takePermit();
    }

    public static void parkUntil(long deadline) {
        Thread.takePermit();
    }

    public static void unpark(Thread thread) {
        Thread.unpark(thread);
    }

    public static void setCurrentBlocker(Object blocker) {}

    public static Object getBlocker(Thread thread) {
        Machine.refuse("what a thread is parked for");
        return null;
    }
}
