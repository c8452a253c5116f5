package palisade;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The executors of {@code Executors}: threads that take tasks from a queue. A thread is started for each task until there are as
 * many as there may be.
 */
public final class Pool extends AbstractExecutorService {
    /** How many entries the queue has; the machine waits for it. */
    private volatile int queued;

    private final int most;
    private final ThreadFactory factory;
    private final Alive alive = new Alive();
    private Task first;
    private Task last;
    private Worker workers;
    private int started;
    private boolean isShut;

    /** Counts the threads that run, and the pool itself until it is shut down. */
    private static final class Alive {
        volatile int count = 1;
    }

    /** An entry of the queue; no task: a thread ends. */
    private static final class Task {
        final Runnable task;
        Task next;

        Task(Runnable task) {
            this.task = task;
        }
    }

    private static final class Worker implements Runnable {
        private final Pool pool;
        private final Runnable first;
        final Worker next;
        Thread thread;

        Worker(Pool pool, Runnable first, Worker next) {
            this.pool = pool;
            this.first = first;
            this.next = next;
        }

        public void run() {
            Runnable task = first;
            while (task != null) {
                task.run();
                task = pool.take();
            }
            Machine.getAndAdd(pool.alive, -1);
        }
    }

    public Pool(int most, ThreadFactory factory) {
        if (most <= 0) {
            throw new IllegalArgumentException();
        }
        this.most = most;
        this.factory = factory;
    }

    public void execute(Runnable task) {
        if (task == null) {
            throw new NullPointerException();
        }
        synchronized (this) {
            if (isShut) {
                throw new RejectedExecutionException("the executor is shut down");
            }
            if (started < most) {
                started++;
                start(new Worker(this, task, workers));
                return;
            }
            append(new Task(task));
        }
    }

    private void start(Worker worker) {
        workers = worker;
        Machine.getAndAdd(alive, 1);
        worker.thread = factory == null ? new Thread(worker) : factory.newThread(worker);
        worker.thread.start();
    }

    private void append(Task task) {
        if (last == null) {
            first = task;
        } else {
            last.next = task;
        }
        last = task;
        Machine.getAndAdd(this, 1);
    }

    private Runnable take() {
        Machine.await(this, 1, Integer.MAX_VALUE, -1);
        synchronized (this) {
            Task taken = first;
            first = taken.next;
            if (first == null) {
                last = null;
            }
            return taken.task;
        }
    }

    public synchronized void shutdown() {
        if (isShut) {
            return;
        }
        isShut = true;
        for (Worker worker = workers; worker != null; worker = worker.next) {
            append(new Task(null));
        }
        Machine.getAndAdd(alive, -1);
    }

    public List<Runnable> shutdownNow() {
        List<Runnable> never = new ArrayList<>();
        synchronized (this) {
            // A thread that waits for the entry that it has counted keeps it.
            for (Task task = first; task != null; task = task.next) {
                Machine.refuse("`shutdownNow` of an executor with tasks that wait");
            }
        }
        shutdown();
        for (Worker worker = workers; worker != null; worker = worker.next) {
            worker.thread.interrupt();
        }
        return never;
    }

    public synchronized boolean isShutdown() {
        return isShut;
    }

    public boolean isTerminated() {
        return alive.count == 0;
    }

    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (!Machine.mayTimeOut(timeout, unit)) {
            Machine.awaitInterruptibly(alive, 0, 0, 0);
            return true;
        }
        if (Machine.interrupts() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        return alive.count == 0;
    }
}
