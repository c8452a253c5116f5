package java.util.concurrent.locks;

public interface Condition {
    void await() throws InterruptedException;

    void awaitUninterruptibly();

    long awaitNanos(long nanoseconds) throws InterruptedException;

    boolean await(long time, java.util.concurrent.TimeUnit unit) throws InterruptedException;

    boolean awaitUntil(java.util.Date deadline) throws InterruptedException;

    /** An {@link #await} that ends although nobody signals. */
    default void wakeUp() throws InterruptedException {
        await();
    }

    /** An {@link #awaitUninterruptibly} that ends although nobody signals. */
    default void wakeUpUninterruptibly() {
        awaitUninterruptibly();
    }

    void signal();

    void signalAll();
}
