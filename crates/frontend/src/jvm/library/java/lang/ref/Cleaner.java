package java.lang.ref;

import java.util.concurrent.atomic.AtomicBoolean;

/** Nothing is collected, so that only `clean` itself runs an action. */
public final class Cleaner {
    private Cleaner() {}

    public static Cleaner create() {
        return new Cleaner();
    }

    public static Cleaner create(java.util.concurrent.ThreadFactory factory) {
        return new Cleaner();
    }

    public Cleanable register(Object object, Runnable action) {
        java.util.Objects.requireNonNull(object);
        java.util.Objects.requireNonNull(action);
        return new Registered(action);
    }

    public interface Cleanable {
        void clean();
    }

    private static final class Registered implements Cleanable {
        private final Runnable action;
        private final AtomicBoolean isClean = new AtomicBoolean();

        Registered(Runnable action) {
            this.action = action;
        }

        public void clean() {
            if (isClean.compareAndSet(false, true)) {
                action.run();
            }
        }
    }
}
