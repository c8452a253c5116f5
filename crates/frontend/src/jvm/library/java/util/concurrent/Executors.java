package java.util.concurrent;

import palisade.Machine;
import palisade.Pool;

/** A cached pool starts a thread for each task. */
public class Executors {
    private Executors() {}

    public static ExecutorService newFixedThreadPool(int threads) {
        return new Pool(threads, null);
    }

    public static ExecutorService newFixedThreadPool(int threads, ThreadFactory factory) {
        return new Pool(threads, factory);
    }

    public static ExecutorService newSingleThreadExecutor() {
        return new Pool(1, null);
    }

    public static ExecutorService newSingleThreadExecutor(ThreadFactory factory) {
        return new Pool(1, factory);
    }

    public static ExecutorService newCachedThreadPool() {
        return new Pool(Integer.MAX_VALUE, null);
    }

    public static ExecutorService newCachedThreadPool(ThreadFactory factory) {
        return new Pool(Integer.MAX_VALUE, factory);
    }

    public static ThreadFactory defaultThreadFactory() {
        return Thread::new;
    }
}
