package java.util.concurrent.locks;

import palisade.Machine;

/** The threads that wait for a condition of a {@link ReentrantLock}, in the order in which they came. */
final class Waiters implements Condition {
    /** One of them. */
    private static final class Waiter {
        /** 1 once it was signalled. */
        volatile int signalled;
        Waiter next;
    }

    private final ReentrantLock lock;
    private Waiter first;
    private Waiter last;

    Waiters(ReentrantLock lock) {
        this.lock = lock;
    }

    private Waiter enter() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException();
        }
        Waiter waiter = new Waiter();
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
        return waiter;
    }

    /** Whether it was there: nobody has signalled it. */
    private boolean remove(Waiter waiter) {
        Waiter before = null;
        for (Waiter at = first; at != null; at = at.next) {
            if (at == waiter) {
                if (before == null) {
                    first = at.next;
                } else {
                    before.next = at.next;
                }
                if (last == at) {
                    last = before;
                }
                return true;
            }
            before = at;
        }
        return false;
    }

    public void await() throws InterruptedException {
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        Waiter waiter = enter();
        int held = lock.release();
        if (!Machine.interrupts()) {
            Machine.await(waiter, 1, 1, 0);
            lock.regain(held);
            return;
        }
        Machine.awaitUnlessInterrupted(waiter, 1, 1, 0, Thread.currentThread());
        noticeInterrupt(waiter, held);
    }

    /** Takes the lock again. An interrupt is noticed before that, and forgotten unless the thread was signalled. */
    private boolean noticeInterrupt(Waiter waiter, int held) throws InterruptedException {
        boolean interrupted = Machine.interrupts() && Thread.interrupted();
        lock.regain(held);
        boolean waits = remove(waiter);
        if (interrupted && waits) {
            throw new InterruptedException();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return waits;
    }

    public void awaitUninterruptibly() {
        Waiter waiter = enter();
        int held = lock.release();
        Machine.await(waiter, 1, 1, 0);
        lock.regain(held);
    }

    /** The time may end as soon as the lock is given up: whoever is to signal first only has to come first. */
    private boolean awaitOrTimeOut() throws InterruptedException {
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        Waiter waiter = enter();
        return !noticeInterrupt(waiter, lock.release());
    }

    public void wakeUp() throws InterruptedException {
        awaitOrTimeOut();
    }

    public void wakeUpUninterruptibly() {
        Waiter waiter = enter();
        int held = lock.release();
        lock.regain(held);
        remove(waiter);
    }

    public long awaitNanos(long nanoseconds) throws InterruptedException {
        if (!Machine.mayTimeOut(nanoseconds, java.util.concurrent.TimeUnit.NANOSECONDS)) {
            await();
            return nanoseconds;
        }
        return awaitOrTimeOut() ? 1 : 0;
    }

    public boolean await(long time, java.util.concurrent.TimeUnit unit) throws InterruptedException {
        if (!Machine.mayTimeOut(time, unit)) {
            await();
            return true;
        }
        return awaitOrTimeOut();
    }

    public boolean awaitUntil(java.util.Date deadline) throws InterruptedException {
        return awaitOrTimeOut();
    }

    public void signal() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException();
        }
        Waiter waiter = first;
        if (waiter != null) {
            first = waiter.next;
            if (first == null) {
                last = null;
            }
            waiter.signalled = 1;
        }
    }

    public void signalAll() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException();
        }
        Waiter waiter = first;
        first = null;
        last = null;
        while (waiter != null) {
            waiter.signalled = 1;
            waiter = waiter.next;
        }
    }
}
