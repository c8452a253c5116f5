package java.util.concurrent.atomic;

import palisade.Machine;

public class AtomicInteger extends Number implements java.io.Serializable {
    private volatile int value;

    public AtomicInteger() {}

    public AtomicInteger(int value) {
        this.value = value;
    }

    public final int get() {
        return value;
    }

    public final void set(int value) {
        this.value = value;
    }

    public final boolean compareAndSet(int expected, int value) {
        return Machine.compareAndSet(this, expected, value);
    }

    public final int getAndSet(int value) {
        return Machine.getAndSet(this, value);
    }

    public final int getAndAdd(int by) {
        return Machine.getAndAdd(this, by);
    }

    public final int addAndGet(int by) {
        return Machine.getAndAdd(this, by) + by;
    }

    public final int getAndIncrement() {
        return Machine.getAndAdd(this, (int) 1);
    }

    public final int getAndDecrement() {
        return Machine.getAndAdd(this, (int) -1);
    }

    public final int incrementAndGet() {
        return Machine.getAndAdd(this, (int) 1) + 1;
    }

    public final int decrementAndGet() {
        return Machine.getAndAdd(this, (int) -1) - 1;
    }

    public final int updateAndGet(java.util.function.IntUnaryOperator update) {
        while (true) {
            int old = value;
            int updated = update.applyAsInt(old);
            if (compareAndSet(old, updated)) {
                return updated;
            }
        }
    }

    public final int getAndUpdate(java.util.function.IntUnaryOperator update) {
        while (true) {
            int old = value;
            if (compareAndSet(old, update.applyAsInt(old))) {
                return old;
            }
        }
    }

    public final int accumulateAndGet(int operand, java.util.function.IntBinaryOperator update) {
        while (true) {
            int old = value;
            int updated = update.applyAsInt(old, operand);
            if (compareAndSet(old, updated)) {
                return updated;
            }
        }
    }

    public final int getAndAccumulate(int operand, java.util.function.IntBinaryOperator update) {
        while (true) {
            int old = value;
            if (compareAndSet(old, update.applyAsInt(old, operand))) {
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
