package palisade;

/**
 * What the classes of this library need from the virtual machine. The front end knows the native methods by name; the others
 * make the exceptions that instructions throw.
 */
public final class Machine {
    private static final long MINUTE = 60000000000L;
    /** A wait that is longer than so many jumps of time is meant to be long. */
    private static final long MOST_JUMPS = 64;

    private Machine() {}

    /** The length of an array of any type. */
    public static native int length(Object array);

    /** An element of an array of any type; the index is in range. */
    public static native Object cell(Object array, int index);

    /** Assigns an element of an array of any type; the index is in range. */
    public static native void setCell(Object array, int index, Object value);

    /** Whether an array of references may hold a value. */
    public static native boolean mayHold(Object array, Object value);

    /** Whether an object is an instance of a class; null is none. */
    public static native boolean isInstance(Class<?> type, Object value);

    /** Whether the elements of an array are references. */
    public static native boolean holdsReferences(Object array);

    /** Whether two objects have the same class. */
    public static native boolean sameClass(Object a, Object b);

    /** The enum of a constant. */
    public static native Class<?> enumOf(Object constant);

    /** The name of an object's class. */
    public static native String className(Object object);

    /** Whether threads may be daemons. */
    public static native boolean daemons();

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

    /** Acquires the monitor of an object. */
    public static native void enter(Object monitor);

    /** Releases it. */
    public static native void exit(Object monitor);

    /** How often the thread that has a monitor holds it; kept where {@link WaitSet} keeps who waits. */
    public static native int holds(Object monitor);

    public static native void setHolds(Object monitor, int holds);

    /** The threads that wait at a monitor; null if none ever did. Only for who holds it. */
    public static native Object waitSet(Object monitor);

    public static native void setWaitSet(Object monitor, Object set);

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

    /** Waits until the first field of the object, a volatile int, is in a range, and adds to it in the same step. */
    public static native void await(Object object, int low, int high, int by);

    /** The same, unless the thread is interrupted before. Whether it was not. */
    public static native boolean awaitUnlessInterrupted(Object object, int low, int high, int by, Thread current);

    /** The same; throws if the current thread is interrupted. */
    public static void awaitInterruptibly(Object object, int low, int high, int by) throws InterruptedException {
        if (!interrupts()) {
            await(object, low, high, by);
            return;
        }
        if (Thread.interrupted() || !awaitUnlessInterrupted(object, low, high, by, Thread.currentThread())) {
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    /** Whether a wait of this length may end for want of time: one of a minute or more does not. */
    public static boolean mayTimeOut(long timeout, java.util.concurrent.TimeUnit unit) {
        return mayTimeOut(unit.toNanos(timeout));
    }

    /**
     * The same for nanoseconds. A length that a program has found by its clock may be some jumps of time longer than what
     * it means.
     */
    public static boolean mayTimeOut(long nanoseconds) {
        if (nanoseconds < MINUTE) {
            return true;
        }
        return tellsTime() && nanoseconds < MOST_JUMPS * Thread.JUMP && nanoseconds % Thread.JUMP < MINUTE;
    }

    /** Acquires as {@link #acquire} does, unless the thread is interrupted before. Whether it was not. */
    public static native boolean acquireUnlessInterrupted(Object object, Thread owner);

    /** Takes the permit of the current thread, once it has one or is interrupted. */
    public static native void awaitPermit(Thread current);

    /** An array of so many references, given the class of the elements. */
    public static native Object newArray(Class<?> component, int length);

    /** The class of the elements of an array's class; null for other classes. */
    public static native Class<?> componentType(Class<?> array);

    /** A copy of an array. */
    public static native Object copy(Object array);

    /** Ends the execution: what comes would have to be modelled, and is not. */
    public static native void refuse(String what);

    /** The constant of an enum with that name. */
    public static Object constant(Enum<?>[] constants, String name) {
        for (Enum<?> constant : constants) {
            if (constant.name().equals(name)) {
                return constant;
            }
        }
        if (name == null) {
            throw new NullPointerException("Name is null");
        }
        throw new IllegalArgumentException("No enum constant " + name);
    }

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
