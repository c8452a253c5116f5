package palisade;

/**
 * What the classes of this library need from the virtual machine. The front end knows the native methods by name; the others
 * make the exceptions that instructions throw.
 */
public final class Machine {
    private Machine() {}

    /** The length of an array of any type. */
    public static native int length(Object array);

    /** An element of an array of any type; the index is in range. */
    public static native Object cell(Object array, int index);

    /** Assigns an element of an array of any type; the index is in range. */
    public static native void setCell(Object array, int index, Object value);

    /** Whether an array of references may hold a value. */
    public static native boolean mayHold(Object array, Object value);

    /** Whether the elements of an array are references. */
    public static native boolean holdsReferences(Object array);

    /** Whether two objects have the same class. */
    public static native boolean sameClass(Object a, Object b);

    /** The name of an object's class. */
    public static native String className(Object object);

    /** Starts a thread and gives what {@link #join} wants; not null. */
    public static native Object spawn(Thread thread);

    /** Waits for a thread to end; not for null, a thread that was not started. */
    public static native void join(Object handle);

    /** Waits until a thread has ended or the current one is interrupted. */
    public static native void awaitEndOrInterrupt(Thread thread, Thread current);

    /** Either truth value. */
    public static native boolean choose();

    /** Whether some class of the program interrupts threads. */
    public static native boolean interrupts();

    /** Whether some class of the program asks for the names of threads. */
    public static native boolean names();

    /** Whether some class of the program asks for the time. */
    public static native boolean tellsTime();

    /** Acquires a monitor of the object that no {@code synchronized} block uses. */
    public static native void lock(Object object);

    /** Releases it. */
    public static native void unlock(Object object);

    /** Whether some class of the program asks who holds locks. */
    public static native boolean asksForOwners();

    /** Waits until the first field of the object, which is volatile, is null, and assigns it in the same step. */
    public static native void acquire(Object object, Thread owner);

    /** Assigns the first field of the object, which is volatile, if it has the expected value. */
    public static native boolean compareAndSet(Object object, int expected, int value);

    public static native boolean compareAndSet(Object object, long expected, long value);

    public static native boolean compareAndSet(Object object, Object expected, Object value);

    /** Assigns the first field of the object, which is volatile, and gives what it held. */
    public static native int getAndSet(Object object, int value);

    public static native long getAndSet(Object object, long value);

    public static native Object getAndSet(Object object, Object value);

    /** Adds to the first field of the object, which is volatile, and gives what it held. */
    public static native int getAndAdd(Object object, int by);

    public static native long getAndAdd(Object object, long by);

    public static Throwable nullPointer() {
        return new NullPointerException();
    }

    public static Throwable index(int index, int length) {
        return new ArrayIndexOutOfBoundsException("Index " + index + " out of bounds for length " + length);
    }

    public static Throwable division() {
        return new ArithmeticException("/ by zero");
    }

    public static Throwable cast() {
        return new ClassCastException();
    }

    public static Throwable size(int length) {
        return new NegativeArraySizeException(Integer.toString(length));
    }

    public static Throwable store(Object value) {
        return new ArrayStoreException(className(value));
    }

    public static Throwable noClass() {
        return new NoClassDefFoundError();
    }

    /** What the failure of a class initialiser becomes. */
    public static Throwable initializer(Throwable cause) {
        return cause instanceof Error ? cause : new ExceptionInInitializerError(cause);
    }
}
