package java.util.concurrent;

public abstract class RecursiveAction extends ForkJoinTask<Void> {
    protected abstract void compute();

    public final Void getRawResult() {
        return null;
    }

    protected final void setRawResult(Void none) {}

    protected final boolean exec() {
        compute();
        return true;
    }
}
