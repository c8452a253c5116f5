package java.util.concurrent;

import palisade.Machine;

/** A pool whose tasks run in threads of their own: so many at once as there are. */
public class ForkJoinPool extends AbstractExecutorService {
    private final int parallelism;
    private volatile boolean isShut;
    private final java.util.List<Thread> threads = new java.util.ArrayList<>();

    public ForkJoinPool() {
        this(2);
    }

    public ForkJoinPool(int parallelism) {
        this.parallelism = parallelism;
    }

    public interface ManagedBlocker {
        boolean block() throws InterruptedException;

        boolean isReleasable();
    }

    /** Made when it is asked for. */
    private static final class Common {
        static final ForkJoinPool POOL = new ForkJoinPool(2);
    }

    public static ForkJoinPool commonPool() {
        return Common.POOL;
    }

    public static int getCommonPoolParallelism() {
        return 1;
    }

    public int getParallelism() {
        return parallelism;
    }

    public static void managedBlock(ManagedBlocker blocker) throws InterruptedException {
        while (!blocker.isReleasable() && !blocker.block()) {
        }
    }

    public <T> T invoke(ForkJoinTask<T> task) {
        execute(task);
        return task.join();
    }

    public void execute(ForkJoinTask<?> task) {
        execute(new ForkJoinTask.Runner(task));
    }

    public <T> ForkJoinTask<T> submit(ForkJoinTask<T> task) {
        execute(task);
        return task;
    }

    private void refuseIfShut() {
        if (isShut) {
            throw new RejectedExecutionException();
        }
    }

    public void execute(Runnable task) {
        refuseIfShut();
        Thread thread = new Thread(task);
        synchronized (threads) {
            threads.add(thread);
        }
        thread.start();
    }

    public void shutdown() {
        isShut = true;
    }

    public java.util.List<Runnable> shutdownNow() {
        isShut = true;
        synchronized (threads) {
            for (Thread thread : threads) {
                thread.interrupt();
            }
        }
        return new java.util.ArrayList<>();
    }

    public boolean isShutdown() {
        return isShut;
    }

    public boolean isTerminated() {
        return isShut && !areAlive();
    }

    private boolean areAlive() {
        synchronized (threads) {
            for (Thread thread : threads) {
                if (thread.isAlive()) {
                    return true;
                }
            }
        }
        return false;
    }

    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        if (Machine.choose() && areAlive()) {
            return false;
        }
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).join();
        }
        return true;
    }
}
