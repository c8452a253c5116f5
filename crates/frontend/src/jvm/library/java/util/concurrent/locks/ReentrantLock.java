package java.util.concurrent.locks;

import palisade.Machine;

/** A monitor of its own, unless the program asks who holds locks: then that is kept. */
public class ReentrantLock implements Lock, java.io.Serializable {
    private volatile Thread owner;
    /** How often the owner holds it. */
    private int holds;

    public ReentrantLock() {}

    public ReentrantLock(boolean fair) {}

    public void lock() {
        if (!Machine.asksForOwners()) {
            Machine.lock(this);
            return;
        }
        Thread current = Thread.currentThread();
        if (owner != current) {
            Machine.acquire(this, current);
        }
        holds++;
    }

    public boolean tryLock() {
        Thread current = Thread.currentThread();
        if (owner != current && !Machine.compareAndSet(this, null, current)) {
            return false;
        }
        holds++;
        return true;
    }

    public void unlock() {
        if (!Machine.asksForOwners()) {
            Machine.unlock(this);
            return;
        }
        if (owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException();
        }
        holds--;
        if (holds == 0) {
            owner = null;
        }
    }

    public boolean isLocked() {
        return owner != null;
    }

    public boolean isHeldByCurrentThread() {
        return owner == Thread.currentThread();
    }

    public int getHoldCount() {
        return isHeldByCurrentThread() ? holds : 0;
    }

    public void lockInterruptibly() throws InterruptedException {
        if (Machine.interrupts()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Thread current = Thread.currentThread();
            if (owner != current && !Machine.acquireUnlessInterrupted(this, current)) {
                Thread.interrupted();
                throw new InterruptedException();
            }
            holds++;
            return;
        }
        lock();
    }

    /** Whether the lock is free now: a thread that comes later finds it freed, one that comes earlier runs out of time. */
    public boolean tryLock(long time, java.util.concurrent.TimeUnit unit) throws InterruptedException {
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!Machine.mayTimeOut(time, unit)) {
            lock();
            return true;
        }
        return tryLock();
    }

    public Condition newCondition() {
        return new Waiters(this);
    }

    public final boolean isFair() {
        return false;
    }

    public boolean hasQueuedThreads() {
        Machine.refuse("who waits for a lock");
        return false;
    }

    /** Gives up the lock, however often it is held; tells how often that was. */
    int release() {
        if (owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException();
        }
        int held = holds;
        holds = 0;
        owner = null;
        return held;
    }

    void regain(int held) {
        Machine.acquire(this, Thread.currentThread());
        holds = held;
    }
}
