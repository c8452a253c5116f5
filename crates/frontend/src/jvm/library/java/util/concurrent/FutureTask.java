package java.util.concurrent;

import palisade.Machine;

public class FutureTask<V> implements RunnableFuture<V> {
    private static final int NEW = 0;
    private static final int ENDED = 1;
    private static final int ENDING = 2;
    private static final int RUNS = 3;

    private volatile int state;
    private Callable<V> task;
    private V result;
    private Throwable failure;
    private boolean cancelled;
    private volatile Thread runner;

    public FutureTask(Callable<V> task) {
        if (task == null) {
            throw new NullPointerException();
        }
        this.task = task;
    }

    public FutureTask(Runnable task, V result) {
        if (task == null) {
            throw new NullPointerException();
        }
        this.task = () -> {
            task.run();
            return result;
        };
    }

    public void run() {
        if (!Machine.compareAndSet(this, NEW, RUNS)) {
            return;
        }
        runner = Thread.currentThread();
        try {
            set(task.call());
        } catch (Throwable thrown) {
            setException(thrown);
        }
    }

    protected void set(V value) {
        if (Machine.compareAndSet(this, RUNS, ENDING)) {
            result = value;
            end();
        }
    }

    protected void setException(Throwable thrown) {
        if (Machine.compareAndSet(this, RUNS, ENDING)) {
            failure = thrown;
            end();
        }
    }

    private void end() {
        state = ENDED;
        done();
    }

    protected void done() {}

    public boolean cancel(boolean interrupts) {
        if (!Machine.compareAndSet(this, NEW, ENDING) && !Machine.compareAndSet(this, RUNS, ENDING)) {
            return false;
        }
        cancelled = true;
        Thread running = runner;
        if (interrupts && running != null) {
            running.interrupt();
        }
        end();
        return true;
    }

    public boolean isCancelled() {
        return state == ENDED && cancelled;
    }

    public boolean isDone() {
        int now = state;
        return now == ENDED || now == ENDING;
    }

    private V report() throws ExecutionException {
        if (cancelled) {
            throw new CancellationException();
        }
        if (failure != null) {
            throw new ExecutionException(failure);
        }
        return result;
    }

    public V get() throws InterruptedException, ExecutionException {
        Machine.awaitInterruptibly(this, ENDED, ENDED, 0);
        return report();
    }

    public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (!Machine.mayTimeOut(timeout, unit)) {
            return get();
        }
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (state != ENDED) {
            throw new TimeoutException();
        }
        return report();
    }
}
