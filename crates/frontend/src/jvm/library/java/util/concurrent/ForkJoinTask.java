package java.util.concurrent;

import java.util.Collection;

/**
 * A task of a fork-join pool. One that is forked runs in a thread of its own: a pool may have as many as there are tasks, and tasks may not
 * count on more.
 */
public abstract class ForkJoinTask<V> implements Future<V> {
    private static final int NORMAL = 1;
    private static final int FAILED = 2;
    private static final int CANCELLED = 3;

    /** What {@code palisade.Machine} waits for: 0 until the task is done. */
    private volatile int status;

    private Throwable thrown;
    private volatile int tag;

    private static final jdk.internal.misc.Unsafe U = jdk.internal.misc.Unsafe.getUnsafe();
    private static final long TAG = U.objectFieldOffset(ForkJoinTask.class, "tag");

    public final short getForkJoinTaskTag() {
        return (short) tag;
    }

    public final short setForkJoinTaskTag(short value) {
        return (short) U.getAndSetInt(this, TAG, value);
    }

    public final boolean compareAndSetForkJoinTaskTag(short expected, short value) {
        return U.compareAndSetInt(this, TAG, expected, value);
    }

    public abstract V getRawResult();

    protected abstract void setRawResult(V value);

    protected abstract boolean exec();

    static final class Runner implements Runnable {
        private final ForkJoinTask<?> task;

        Runner(ForkJoinTask<?> task) {
            this.task = task;
        }

        public void run() {
            task.doExec();
        }
    }

    /** Runs the task in this thread, unless it is done. */
    final void doExec() {
        if (status != 0) {
            return;
        }
        try {
            if (exec()) {
                palisade.Machine.compareAndSet(this, 0, NORMAL);
            }
        } catch (Throwable failure) {
            completeThrown(failure);
        }
    }

    /** Completes the task with an exception. */
    final void completeThrown(Throwable failure) {
        thrown = failure;
        if (palisade.Machine.compareAndSet(this, 0, FAILED)) {
            afterFailure(failure);
        }
    }

    void afterFailure(Throwable failure) {}

    public final ForkJoinTask<V> fork() {
        new Thread(new Runner(this)).start();
        return this;
    }

    private void await() {
        palisade.Machine.await(this, NORMAL, CANCELLED, 0);
    }

    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    private V report() {
        if (status == CANCELLED) {
            throw new CancellationException();
        }
        if (status == FAILED) {
            ForkJoinTask.<RuntimeException>sneak(thrown);
        }
        return getRawResult();
    }

    public final V join() {
        await();
        return report();
    }

    public final V invoke() {
        doExec();
        await();
        return report();
    }

    public final V get() throws InterruptedException, ExecutionException {
        await();
        if (status == FAILED) {
            throw new ExecutionException(thrown);
        }
        return report();
    }

    public final V get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (status == 0 && palisade.Machine.choose()) {
            throw new TimeoutException();
        }
        return get();
    }

    public final void quietlyJoin() {
        await();
    }

    public final void quietlyInvoke() {
        doExec();
        await();
    }

    public final void quietlyComplete() {
        palisade.Machine.compareAndSet(this, 0, NORMAL);
    }

    public void complete(V value) {
        setRawResult(value);
        quietlyComplete();
    }

    public void completeExceptionally(Throwable failure) {
        completeThrown(failure instanceof RuntimeException || failure instanceof Error ? failure : new RuntimeException(failure));
    }

    public boolean cancel(boolean mayInterrupt) {
        palisade.Machine.compareAndSet(this, 0, CANCELLED);
        return status == CANCELLED;
    }

    public final boolean isDone() {
        return status != 0;
    }

    public final boolean isCancelled() {
        return status == CANCELLED;
    }

    public final boolean isCompletedAbnormally() {
        return status >= FAILED;
    }

    public final boolean isCompletedNormally() {
        return status == NORMAL;
    }

    public final Throwable getException() {
        return status == FAILED ? thrown : status == CANCELLED ? new CancellationException() : null;
    }

    public boolean tryUnfork() {
        return false;
    }

    public static void invokeAll(ForkJoinTask<?> first, ForkJoinTask<?> second) {
        second.fork();
        first.invoke();
        second.join();
    }

    public static void invokeAll(ForkJoinTask<?>... tasks) {
        for (int i = 1; i < tasks.length; i++) {
            tasks[i].fork();
        }
        if (tasks.length > 0) {
            tasks[0].invoke();
        }
        for (int i = 1; i < tasks.length; i++) {
            tasks[i].join();
        }
    }

    public static <T extends ForkJoinTask<?>> Collection<T> invokeAll(Collection<T> tasks) {
        for (T task : tasks) {
            task.fork();
        }
        for (T task : tasks) {
            task.join();
        }
        return tasks;
    }

    public static ForkJoinPool getPool() {
        return null;
    }

    public static boolean inForkJoinPool() {
        return false;
    }

    public static int getQueuedTaskCount() {
        return 0;
    }

    public static int getSurplusQueuedTaskCount() {
        return 0;
    }
}
