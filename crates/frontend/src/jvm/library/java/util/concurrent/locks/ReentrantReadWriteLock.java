package java.util.concurrent.locks;

import java.util.concurrent.TimeUnit;
import palisade.Machine;

/** Readers do not wait for writers that wait. */
public class ReentrantReadWriteLock implements ReadWriteLock, java.io.Serializable {
    /** How many read locks are held, or -1 if the write lock is. */
    private volatile int state;
    private volatile Thread writer;
    /** How often the writer holds the write lock, and the read lock. */
    private int holds;
    private volatile int reads;
    private final ReadLock read = new ReadLock(this);
    private final WriteLock write = new WriteLock(this);

    public ReentrantReadWriteLock() {}

    public ReentrantReadWriteLock(boolean fair) {}

    public ReadLock readLock() {
        return read;
    }

    public WriteLock writeLock() {
        return write;
    }

    public boolean isWriteLocked() {
        return state < 0;
    }

    public boolean isWriteLockedByCurrentThread() {
        return writer == Thread.currentThread();
    }

    public int getReadLockCount() {
        int now = state;
        return now < 0 ? reads : now;
    }

    public static class ReadLock implements Lock, java.io.Serializable {
        private final ReentrantReadWriteLock lock;

        protected ReadLock(ReentrantReadWriteLock lock) {
            this.lock = lock;
        }

        public void lock() {
            if (lock.writer == Thread.currentThread()) {
                lock.reads++;
            } else {
                Machine.await(lock, 0, Integer.MAX_VALUE, 1);
            }
        }

        public boolean tryLock() {
            if (lock.writer == Thread.currentThread()) {
                lock.reads++;
                return true;
            }
            while (true) {
                int now = lock.state;
                if (now < 0) {
                    return false;
                }
                if (Machine.compareAndSet(lock, now, now + 1)) {
                    return true;
                }
            }
        }

        public void unlock() {
            if (lock.writer == Thread.currentThread()) {
                if (lock.reads == 0) {
                    throw new IllegalMonitorStateException("attempt to unlock read lock, not locked by current thread");
                }
                lock.reads--;
                return;
            }
            if (lock.state <= 0) {
                throw new IllegalMonitorStateException("attempt to unlock read lock, not locked by current thread");
            }
            Machine.getAndAdd(lock, -1);
        }

        public void lockInterruptibly() throws InterruptedException {
            if (lock.writer == Thread.currentThread()) {
                lock.reads++;
            } else {
                Machine.awaitInterruptibly(lock, 0, Integer.MAX_VALUE, 1);
            }
        }

        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
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
            throw new UnsupportedOperationException();
        }
    }

    public static class WriteLock implements Lock, java.io.Serializable {
        private final ReentrantReadWriteLock lock;

        protected WriteLock(ReentrantReadWriteLock lock) {
            this.lock = lock;
        }

        private void enter() {
            lock.writer = Thread.currentThread();
            lock.holds = 1;
        }

        public void lock() {
            if (lock.writer == Thread.currentThread()) {
                lock.holds++;
            } else {
                Machine.await(lock, 0, 0, -1);
                enter();
            }
        }

        public boolean tryLock() {
            if (lock.writer == Thread.currentThread()) {
                lock.holds++;
                return true;
            }
            if (!Machine.compareAndSet(lock, 0, -1)) {
                return false;
            }
            enter();
            return true;
        }

        public void unlock() {
            if (lock.writer != Thread.currentThread()) {
                throw new IllegalMonitorStateException();
            }
            lock.holds--;
            if (lock.holds == 0) {
                int reads = lock.reads;
                lock.reads = 0;
                lock.writer = null;
                lock.state = reads;
            }
        }

        public boolean isHeldByCurrentThread() {
            return lock.writer == Thread.currentThread();
        }

        public int getHoldCount() {
            return isHeldByCurrentThread() ? lock.holds : 0;
        }

        public void lockInterruptibly() throws InterruptedException {
            if (lock.writer == Thread.currentThread()) {
                lock.holds++;
            } else {
                Machine.awaitInterruptibly(lock, 0, 0, -1);
                enter();
            }
        }

        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
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
            Machine.refuse("a condition of a write lock");
            return null;
        }
    }
}
