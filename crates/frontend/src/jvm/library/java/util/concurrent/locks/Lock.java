package java.util.concurrent.locks;

public interface Lock {
    void lock();

    boolean tryLock();

    void unlock();

    void lockInterruptibly() throws InterruptedException;

    boolean tryLock(long time, java.util.concurrent.TimeUnit unit) throws InterruptedException;

    Condition newCondition();
}
