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
}
