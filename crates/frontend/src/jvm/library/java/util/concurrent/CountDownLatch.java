package java.util.concurrent;

import palisade.Machine;

public class CountDownLatch {
    private volatile int count;

    public CountDownLatch(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count < 0");
        }
        this.count = count;
    }

    public void await() throws InterruptedException {
        Machine.awaitInterruptibly(this, 0, 0, 0);
    }

    /** Whether the count is zero now: a thread that comes later finds it so, one that comes earlier runs out of time. */
    public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        if (!Machine.mayTimeOut(timeout, unit)) {
            await();
            return true;
        }
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        return count == 0;
    }

    public void countDown() {
        while (true) {
            int now = count;
            if (now == 0 || Machine.compareAndSet(this, now, now - 1)) {
                return;
            }
        }
    }

    public long getCount() {
        return count;
    }

    public String toString() {
        return "java.util.concurrent.CountDownLatch[Count = " + count + "]";
    }
}
