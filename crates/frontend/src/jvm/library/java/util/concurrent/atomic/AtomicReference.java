package java.util.concurrent.atomic;

import palisade.Machine;

public class AtomicReference<V> implements java.io.Serializable {
    private volatile V value;

    public AtomicReference() {}

    public AtomicReference(V value) {
        this.value = value;
    }

    public final V get() {
        return value;
    }

    public final void set(V value) {
        this.value = value;
    }

    public final boolean compareAndSet(V expected, V value) {
        return Machine.compareAndSet(this, (Object) expected, (Object) value);
    }

    @SuppressWarnings("unchecked")
    public final V getAndSet(V value) {
        return (V) Machine.getAndSet(this, (Object) value);
    }

    public final V updateAndGet(java.util.function.UnaryOperator<V> update) {
        while (true) {
            V old = value;
            V updated = update.apply(old);
            if (compareAndSet(old, updated)) {
                return updated;
            }
        }
    }

    public final V getAndUpdate(java.util.function.UnaryOperator<V> update) {
        while (true) {
            V old = value;
            if (compareAndSet(old, update.apply(old))) {
                return old;
            }
        }
    }

    public String toString() {
        return String.valueOf(get());
    }
}
