package palisade;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import jdk.internal.misc.Unsafe;

/** Updates a field by its offset. */
@SuppressWarnings("unchecked")
public final class ReferenceUpdater<T, V> extends AtomicReferenceFieldUpdater<T, V> {
    private static final Unsafe MEMORY = Unsafe.getUnsafe();

    private final long offset;

    public ReferenceUpdater(long offset) {
        this.offset = offset;
    }

    public boolean compareAndSet(T object, V expected, V value) {
        return MEMORY.compareAndSetReference(object, offset, expected, value);
    }

    public boolean weakCompareAndSet(T object, V expected, V value) {
        return MEMORY.weakCompareAndSetReference(object, offset, expected, value);
    }

    public void set(T object, V value) {
        MEMORY.putReferenceVolatile(object, offset, value);
    }

    public void lazySet(T object, V value) {
        MEMORY.putReferenceRelease(object, offset, value);
    }

    public V get(T object) {
        return (V) MEMORY.getReferenceVolatile(object, offset);
    }

    public V getAndSet(T object, V value) {
        return (V) MEMORY.getAndSetReference(object, offset, value);
    }
}
