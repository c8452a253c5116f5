package java.util.concurrent;

import palisade.Machine;

/** As on a machine with one processor, where asynchronous tasks run in threads of their own. */
public class ForkJoinPool {
    private ForkJoinPool() {}

    public interface ManagedBlocker {
        boolean block() throws InterruptedException;

        boolean isReleasable();
    }

    /** There is none, so that no executor is it. */
    public static ForkJoinPool commonPool() {
        return null;
    }

    public static int getCommonPoolParallelism() {
        return 1;
    }

    public static void managedBlock(ManagedBlocker blocker) throws InterruptedException {
        while (!blocker.isReleasable() && !blocker.block()) {
        }
    }
}
