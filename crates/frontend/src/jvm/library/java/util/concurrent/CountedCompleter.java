package java.util.concurrent;

import java.util.concurrent.atomic.AtomicInteger;

/** A task that is done when those that it counts are. */
public abstract class CountedCompleter<T> extends ForkJoinTask<T> {
    final CountedCompleter<?> completer;
    private final AtomicInteger pending;

    protected CountedCompleter(CountedCompleter<?> completer, int initial) {
        this.completer = completer;
        this.pending = new AtomicInteger(initial);
    }

    protected CountedCompleter(CountedCompleter<?> completer) {
        this(completer, 0);
    }

    protected CountedCompleter() {
        this(null, 0);
    }

    public abstract void compute();

    public void onCompletion(CountedCompleter<?> caller) {}

    public boolean onExceptionalCompletion(Throwable failure, CountedCompleter<?> caller) {
        return true;
    }

    public final CountedCompleter<?> getCompleter() {
        return completer;
    }

    public final int getPendingCount() {
        return pending.get();
    }

    public final void setPendingCount(int count) {
        pending.set(count);
    }

    public final void addToPendingCount(int by) {
        pending.getAndAdd(by);
    }

    public final boolean compareAndSetPendingCount(int expected, int count) {
        return pending.compareAndSet(expected, count);
    }

    public final int decrementPendingCountUnlessZero() {
        while (true) {
            int now = pending.get();
            if (now == 0 || pending.compareAndSet(now, now - 1)) {
                return now;
            }
        }
    }

    public final CountedCompleter<?> getRoot() {
        CountedCompleter<?> root = this;
        while (root.completer != null) {
            root = root.completer;
        }
        return root;
    }

    public final void tryComplete() {
        CountedCompleter<?> task = this;
        CountedCompleter<?> caller = this;
        while (task.decrementPendingCountUnlessZero() == 0) {
            task.onCompletion(caller);
            caller = task;
            task = task.completer;
            if (task == null) {
                caller.quietlyComplete();
                return;
            }
        }
    }

    public final void propagateCompletion() {
        CountedCompleter<?> task = this;
        CountedCompleter<?> caller = this;
        while (task.decrementPendingCountUnlessZero() == 0) {
            caller = task;
            task = task.completer;
            if (task == null) {
                caller.quietlyComplete();
                return;
            }
        }
    }

    public void complete(T value) {
        setRawResult(value);
        onCompletion(this);
        quietlyComplete();
        if (completer != null) {
            completer.tryComplete();
        }
    }

    public final CountedCompleter<?> firstComplete() {
        CountedCompleter<?> task = this;
        while (task != null && task.decrementPendingCountUnlessZero() != 0) {
            task = null;
        }
        return task;
    }

    public final CountedCompleter<?> nextComplete() {
        if (completer != null) {
            return completer.firstComplete();
        }
        quietlyComplete();
        return null;
    }

    public final void quietlyCompleteRoot() {
        getRoot().quietlyComplete();
    }

    void afterFailure(Throwable failure) {
        CountedCompleter<?> caller = this;
        CountedCompleter<?> task = this;
        while (task.onExceptionalCompletion(failure, caller) && task.completer != null && !task.completer.isDone()) {
            caller = task;
            task = task.completer;
            task.completeThrown(failure);
        }
    }

    protected final boolean exec() {
        compute();
        return false;
    }

    public T getRawResult() {
        return null;
    }

    protected void setRawResult(T value) {}
}
