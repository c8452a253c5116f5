package java.util.concurrent.locks;

import palisade.Machine;

/** A monitor of the virtual machine under another name. */
public class ReentrantLock implements Lock {
    public ReentrantLock() {}

    public ReentrantLock(boolean fair) {}

    public void lock() {
        Machine.lock(this);
    }

    public void unlock() {
        Machine.unlock(this);
    }
}
