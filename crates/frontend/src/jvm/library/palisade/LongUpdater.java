package palisade;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import jdk.internal.misc.Unsafe;

/** Updates a field by its offset. */
public final class LongUpdater<T> extends AtomicLongFieldUpdater<T> {
    private static final Unsafe MEMORY = Unsafe.getUnsafe();

    private final long offset;

    public LongUpdater(long offset) {
        this.offset = offset;
    }

    public boolean compareAndSet(T object, long expected, long value) {
        return MEMORY.compareAndSetLong(object, offset, expected, value);
    }

    public boolean weakCompareAndSet(T object, long expected, long value) {
        return MEMORY.weakCompareAndSetLong(object, offset, expected, value);
    }

    public void set(T object, long value) {
        MEMORY.putLongVolatile(object, offset, value);
    }

    public void lazySet(T object, long value) {
        MEMORY.putLongRelease(object, offset, value);
    }

    public long get(T object) {
        return MEMORY.getLongVolatile(object, offset);
    }

    public long getAndSet(T object, long value) {
        return MEMORY.getAndSetLong(object, offset, value);
    }

    public long getAndAdd(T object, long by) {
        return MEMORY.getAndAddLong(object, offset, by);
    }

    public long addAndGet(T object, long by) {
        return MEMORY.getAndAddLong(object, offset, by) + by;
    }

    public long getAndIncrement(T object) {
        return getAndAdd(object, 1);
    }

    public long getAndDecrement(T object) {
        return getAndAdd(object, -1);
    }

    public long incrementAndGet(T object) {
        return addAndGet(object, 1);
    }

    public long decrementAndGet(T object) {
        return addAndGet(object, -1);
    }
}
