package java.util.concurrent;

import palisade.Machine;

/** Threads get permits in any order, also of a fair semaphore. */
public class Semaphore implements java.io.Serializable {
    private volatile int permits;

    public Semaphore(int permits) {
        this.permits = permits;
    }

    public Semaphore(int permits, boolean fair) {
        this.permits = permits;
    }

    public void acquire() throws InterruptedException {
        Machine.awaitInterruptibly(this, 1, Integer.MAX_VALUE, -1);
    }

    public void acquire(int wanted) throws InterruptedException {
        require(wanted);
        Machine.awaitInterruptibly(this, wanted, Integer.MAX_VALUE, -wanted);
    }

    public void acquireUninterruptibly() {
        Machine.await(this, 1, Integer.MAX_VALUE, -1);
    }

    public void acquireUninterruptibly(int wanted) {
        require(wanted);
        Machine.await(this, wanted, Integer.MAX_VALUE, -wanted);
    }

    private static void require(int wanted) {
        if (wanted < 0) {
            throw new IllegalArgumentException();
        }
    }

    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    public boolean tryAcquire(int wanted) {
        require(wanted);
        while (true) {
            int now = permits;
            if (now < wanted) {
                return false;
            }
            if (Machine.compareAndSet(this, now, now - wanted)) {
                return true;
            }
        }
    }

    public boolean tryAcquire(long timeout, TimeUnit unit) throws InterruptedException {
        return tryAcquire(1, timeout, unit);
    }

    public boolean tryAcquire(int wanted, long timeout, TimeUnit unit) throws InterruptedException {
        if (!Machine.mayTimeOut(timeout, unit)) {
            acquire(wanted);
            return true;
        }
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        return tryAcquire(wanted);
    }

    public void release() {
        release(1);
    }

    public void release(int more) {
        require(more);
        Machine.getAndAdd(this, more);
    }

    public int availablePermits() {
        return permits;
    }

    public int drainPermits() {
        return Machine.getAndSet(this, 0);
    }

    protected void reducePermits(int by) {
        require(by);
        Machine.getAndAdd(this, -by);
    }

    public boolean isFair() {
        return false;
    }
}
