package palisade;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import jdk.internal.misc.Unsafe;

/** Updates a field by its offset. */
public final class IntUpdater<T> extends AtomicIntegerFieldUpdater<T> {
    private static final Unsafe MEMORY = Unsafe.getUnsafe();

    private final long offset;

    public IntUpdater(long offset) {
        this.offset = offset;
    }

    public boolean compareAndSet(T object, int expected, int value) {
        return MEMORY.compareAndSetInt(object, offset, expected, value);
    }

    public boolean weakCompareAndSet(T object, int expected, int value) {
        return MEMORY.weakCompareAndSetInt(object, offset, expected, value);
    }

    public void set(T object, int value) {
        MEMORY.putIntVolatile(object, offset, value);
    }

    public void lazySet(T object, int value) {
        MEMORY.putIntRelease(object, offset, value);
    }

    public int get(T object) {
        return MEMORY.getIntVolatile(object, offset);
    }

    public int getAndSet(T object, int value) {
        return MEMORY.getAndSetInt(object, offset, value);
    }

    public int getAndAdd(T object, int by) {
        return MEMORY.getAndAddInt(object, offset, by);
    }

    public int addAndGet(T object, int by) {
        return MEMORY.getAndAddInt(object, offset, by) + by;
    }

    public int getAndIncrement(T object) {
        return getAndAdd(object, 1);
    }

    public int getAndDecrement(T object) {
        return getAndAdd(object, -1);
    }

    public int incrementAndGet(T object) {
        return addAndGet(object, 1);
    }

    public int decrementAndGet(T object) {
        return addAndGet(object, -1);
    }
}
