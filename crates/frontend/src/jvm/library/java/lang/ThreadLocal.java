package java.lang;

import java.util.function.Supplier;

public class ThreadLocal<T> {
    /** The value of a variable in one thread. */
    static final class Value {
        final ThreadLocal<?> of;
        Object value;
        Value next;

        Value(ThreadLocal<?> of, Object value, Value next) {
            this.of = of;
            this.value = value;
            this.next = next;
        }
    }

    private Supplier<? extends T> initial;

    public ThreadLocal() {}

    public static <S> ThreadLocal<S> withInitial(Supplier<? extends S> initial) {
        if (initial == null) {
            throw new NullPointerException();
        }
        ThreadLocal<S> made = new ThreadLocal<>();
        made.initial = initial;
        return made;
    }

    protected T initialValue() {
        return initial == null ? null : initial.get();
    }

    private Value find() {
        Value at = (Value) Thread.currentThread().locals;
        while (at != null && at.of != this) {
            at = at.next;
        }
        return at;
    }

    @SuppressWarnings("unchecked")
    public T get() {
        Value found = find();
        if (found != null) {
            return (T) found.value;
        }
        T value = initialValue();
        set(value);
        return value;
    }

    public void set(T value) {
        Value found = find();
        if (found != null) {
            found.value = value;
            return;
        }
        Thread current = Thread.currentThread();
        current.locals = new Value(this, value, (Value) current.locals);
    }

    public void remove() {
        Thread current = Thread.currentThread();
        Value before = null;
        for (Value at = (Value) current.locals; at != null; at = at.next) {
            if (at.of == this) {
                if (before == null) {
                    current.locals = at.next;
                } else {
                    before.next = at.next;
                }
                return;
            }
            before = at;
        }
    }
}
