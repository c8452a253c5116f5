package java.lang;

import palisade.Machine;

public class Thread implements Runnable {
    private Runnable target;
    private String name;
    /** What starting the thread gave. */
    private volatile Object handle;
    private volatile boolean begun;
    /** Only kept where the program asks for it. */
    private volatile boolean ended;
    private volatile boolean interrupted;

    /** Nanoseconds, as far as this thread knows. Only kept where the program asks for the time. */
    private long clock;

    /** When time begins, in milliseconds. */
    static final long EPOCH = 1700000000000L;
    /**
     * By how much time goes on at once: an hour and some milliseconds, so that no length that a program names is a few of these.
     */
    public static final long JUMP = 3600007000000L;

    private static int numbered;

    /** How many threads were asked for their number. */
    private static long counted;
    /** The thread's number; 0 as long as nobody asked for it. */
    private long id;

    /** Whether {@code LockSupport.park} may go on; only used by it. */
    volatile int permit;
    /** The values of thread-local variables, in a list. */
    Object locals;
    /** What {@code ThreadLocalRandom} keeps here. */
    private int threadLocalRandomProbe;
    private boolean daemon;
    private UncaughtExceptionHandler handler;
    private static UncaughtExceptionHandler defaultHandler;

    public interface UncaughtExceptionHandler {
        void uncaughtException(Thread thread, Throwable thrown);
    }

    {
        if (Machine.daemons()) {
            daemon = currentThread().daemon;
        }
    }

    public Thread() {
        this.name = nextName();
    }

    public Thread(Runnable target) {
        this.target = target;
        this.name = nextName();
    }

    public Thread(String name) {
        this.name = name;
    }

    public Thread(Runnable target, String name) {
        this.target = target;
        this.name = name;
    }

    public Thread(ThreadGroup group, Runnable target, String name) {
        this(target, name);
    }

    public Thread(ThreadGroup group, Runnable target, String name, long stackSize) {
        this(target, name);
    }

    /** Threads are numbered where the program asks for their names. */
    private static String nextName() {
        if (!Machine.names()) {
            return null;
        }
        synchronized (Thread.class) {
            return "Thread-" + numbered++;
        }
    }

    public void run() {
        if (target != null) {
            target.run();
        }
    }

    /** What a thread runs where exceptions may have handlers. */
    void runHandled() {
        try {
            run();
        } catch (Throwable thrown) {
            UncaughtExceptionHandler own = handler != null ? handler : defaultHandler;
            if (own == null) {
                throw thrown;
            }
            own.uncaughtException(this, thrown);
        }
    }

    public void setUncaughtExceptionHandler(UncaughtExceptionHandler handler) {
        this.handler = handler;
    }

    public UncaughtExceptionHandler getUncaughtExceptionHandler() {
        return handler;
    }

    public static void setDefaultUncaughtExceptionHandler(UncaughtExceptionHandler handler) {
        defaultHandler = handler;
    }

    public static UncaughtExceptionHandler getDefaultUncaughtExceptionHandler() {
        return defaultHandler;
    }

    /** Whether the thread was not started before; it counts as started from now on. */
    private native boolean begin();

    public void start() {
        if (!begin()) {
            throw new IllegalThreadStateException();
        }
        if (Machine.tellsTime()) {
            clock = currentThread().clock;
        }
        handle = Machine.spawn(this);
    }

    /**
     * The time. It may be any that is not before what the thread knows: the same, or {@link #JUMP} later. Clocks of
     * threads agree where one starts the other or waits for its end; no thread learns anything else by the time.
     */
    static long time() {
        Thread current = currentThread();
        if (Machine.choose()) {
            current.clock += JUMP;
        }
        return current.clock;
    }

    public final void join() throws InterruptedException {
        if (Machine.interrupts() && isAlive()) {
            joinUnlessInterrupted(currentThread());
        }
        Machine.join(handle);
        if (Machine.tellsTime() && currentThread().clock < clock) {
            currentThread().clock = clock;
        }
    }

    /** Of an interrupt and the end of the thread either may be noticed first. */
    private void joinUnlessInterrupted(Thread current) throws InterruptedException {
        Machine.awaitEndOrInterrupt(this, current);
        if (current.interrupted && (!ended || Machine.choose())) {
            current.interrupted = false;
            throw new InterruptedException();
        }
    }

    public enum State { NEW, RUNNABLE, BLOCKED, WAITING, TIMED_WAITING, TERMINATED }

    public State getState() {
        if (!begun) {
            return State.NEW;
        }
        if (!ended) {
            Machine.refuse("the state of a thread that runs");
        }
        return State.TERMINATED;
    }

    /** Threads are numbered in the order in which somebody asks. */
    public long getId() {
        synchronized (Thread.class) {
            if (id == 0) {
                id = ++counted;
            }
            return id;
        }
    }

    public final boolean isAlive() {
        return begun && !ended;
    }

    public void interrupt() {
        interrupted = true;
    }

    public boolean isInterrupted() {
        return interrupted;
    }

    public static boolean interrupted() {
        Thread current = currentThread();
        boolean was = current.interrupted;
        if (was) {
            current.interrupted = false;
        }
        return was;
    }

    public static void sleep(long milliseconds) throws InterruptedException {
        if (Machine.interrupts() && interrupted()) {
            throw new InterruptedException("sleep interrupted");
        }
        if (Machine.tellsTime()) {
            currentThread().clock += milliseconds * 1000000L;
        }
    }

    public static void sleep(long milliseconds, int nanoseconds) throws InterruptedException {
        sleep(milliseconds);
    }

    public static native void yield();

    public static native void onSpinWait();

    public static native Thread currentThread();

    public final String getName() {
        return name;
    }

    public final void setName(String name) {
        this.name = name;
    }

    public final void setPriority(int priority) {}

    public final int getPriority() {
        return 5;
    }

    public final boolean isDaemon() {
        return daemon;
    }

    /** A daemon does not keep the program alive. What the JDK itself makes a daemon is not modelled. */
    public final void setDaemon(boolean on) {
        if (on && !Machine.daemons()) {
            Machine.refuse("a daemon thread");
        }
        if (begun) {
            throw new IllegalThreadStateException();
        }
        daemon = on;
    }

    public final void join(long milliseconds) throws InterruptedException {
        if (milliseconds == 0 || milliseconds >= 60000) {
            join();
            return;
        }
        Machine.refuse("`Thread.join` of less than a minute");
    }

    /** Chooses where the thread counts in what many threads count; any number would do. */
    public static int probe() {
        return currentThread().threadLocalRandomProbe;
    }

    public static void setProbe(int probe) {
        currentThread().threadLocalRandomProbe = probe;
    }

    /** Takes the permit of the current thread if it has one. */
    public static void takePermit() {
        currentThread().permit = 0;
    }

    /** Gives the thread its permit. */
    public static void unpark(Thread thread) {
        if (thread != null) {
            thread.permit = 1;
        }
    }

    public final ThreadGroup getThreadGroup() {
        return null;
    }
}
