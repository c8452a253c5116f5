package java.lang;

import palisade.Machine;

public final class System {
    private System() {}

    public static final java.io.PrintStream out = null;
    public static final java.io.PrintStream err = null;

    public static native int identityHashCode(Object object);

    public static native void exit(int status);

    public static long nanoTime() {
        return Thread.time();
    }

    public static long currentTimeMillis() {
        return Thread.EPOCH + Thread.time() / 1000000L;
    }

    public static void arraycopy(Object from, int at, Object to, int target, int count) {
        if (from == null || to == null) {
            throw new NullPointerException();
        }
        boolean references = Machine.holdsReferences(from);
        if (references ? !Machine.holdsReferences(to) : !Machine.sameClass(from, to)) {
            throw new ArrayStoreException("arraycopy: type mismatch");
        }
        if (at < 0 || target < 0 || count < 0 || at > Machine.length(from) - count
                || target > Machine.length(to) - count) {
            throw new ArrayIndexOutOfBoundsException("arraycopy: last index out of bounds");
        }
        if (from == to && at < target) {
            for (int i = count - 1; i >= 0; i--) {
                Machine.setCell(to, target + i, Machine.cell(from, at + i));
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            Object value = Machine.cell(from, at + i);
            if (references && !Machine.mayHold(to, value)) {
                throw new ArrayStoreException("arraycopy: element type mismatch");
            }
            Machine.setCell(to, target + i, value);
        }
    }
}
