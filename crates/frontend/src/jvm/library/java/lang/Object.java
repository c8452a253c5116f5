package java.lang;

public class Object {
    public Object() {}

    public final native Class<?> getClass();

    public native int hashCode();

    public boolean equals(Object other) {
        return this == other;
    }

    protected native Object clone() throws CloneNotSupportedException;

    public String toString() {
        return palisade.Machine.className(this) + "@" + Integer.toHexString(hashCode());
    }

    public final native void notify();

    public final native void notifyAll();

    public final native void wait() throws InterruptedException;

    public final void wait(long milliseconds) throws InterruptedException {
        if (milliseconds < 0) {
            throw new IllegalArgumentException("timeout value is negative");
        }
        // What is longer does not end.
        boolean isShort = milliseconds > 0 && milliseconds < 1L << 40;
        palisade.WaitSet.await(this, isShort && palisade.Machine.mayTimeOut(milliseconds * 1000000));
    }

    public final void wait(long milliseconds, int nanoseconds) throws InterruptedException {
        wait(milliseconds == 0 && nanoseconds > 0 ? 1 : milliseconds);
    }
}
