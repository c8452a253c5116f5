package java.util.concurrent.atomic;

import palisade.Machine;

public class AtomicLong extends Number implements java.io.Serializable {
    private volatile long value;

    /** What the JDK's class asks the machine for; it has no other use here. */
    static boolean VMSupportsCS8() {
        return true;
    }

    public AtomicLong() {}

    public AtomicLong(long value) {
        this.value = value;
    }

    public final long get() {
        return value;
    }

    public final void set(long value) {
        this.value = value;
    }

    public final boolean compareAndSet(long expected, long value) {
        return Machine.compareAndSet(this, expected, value);
    }

    public final long getAndSet(long value) {
        return Machine.getAndSet(this, value);
    }

    public final long getAndAdd(long by) {
        return Machine.getAndAdd(this, by);
    }

    public final long addAndGet(long by) {
        return Machine.getAndAdd(this, by) + by;
    }

    public final long getAndIncrement() {
        return Machine.getAndAdd(this, (long) 1);
    }

    public final long getAndDecrement() {
        return Machine.getAndAdd(this, (long) -1);
    }

    public final long incrementAndGet() {
        return Machine.getAndAdd(this, (long) 1) + 1;
    }

    public final long decrementAndGet() {
        return Machine.getAndAdd(this, (long) -1) - 1;
    }

    public final long accumulateAndGet(long operand, java.util.function.LongBinaryOperator update) {
        while (true) {
            long old = value;
            long updated = update.applyAsLong(old, operand);
            if (compareAndSet(old, updated)) {
                return updated;
            }
        }
    }

    public final long getAndAccumulate(long operand, java.util.function.LongBinaryOperator update) {
        while (true) {
            long old = value;
            if (compareAndSet(old, update.applyAsLong(old, operand))) {
                return old;
            }
        }
    }

    public int intValue() {
        return (int) get();
    }

    public long longValue() {
        return get();
    }

    public float floatValue() {
        return get();
    }

    public double doubleValue() {
        return get();
    }

    public String toString() {
        return String.valueOf(get());
    }
}
