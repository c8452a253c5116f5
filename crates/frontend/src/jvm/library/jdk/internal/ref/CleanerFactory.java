package jdk.internal.ref;

import java.lang.ref.Cleaner;

/** Cleaners have no threads of their own. */
public final class CleanerFactory {
    private CleanerFactory() {}

    public static Cleaner cleaner() {
        return Cleaner.create();
    }
}
