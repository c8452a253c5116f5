package java.util.concurrent.atomic;

import palisade.Machine;

public class AtomicBoolean implements java.io.Serializable {
    private volatile int value;

    public AtomicBoolean() {}

    public AtomicBoolean(boolean value) {
        if (value) {
            this.value = 1;
        }
    }

    public final boolean get() {
        return value != 0;
    }

    public final void set(boolean value) {
        this.value = value ? 1 : 0;
    }

    public final boolean compareAndSet(boolean expected, boolean value) {
        return Machine.compareAndSet(this, expected ? 1 : 0, value ? 1 : 0);
    }

    public final boolean getAndSet(boolean value) {
        return Machine.getAndSet(this, value ? 1 : 0) != 0;
    }

    public String toString() {
        return String.valueOf(get());
    }
}
