import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/** Threads whose output does not depend on the schedule. */
public class Threads {
    static class Buffer {
        private int value;
        private boolean full;

        synchronized void put(int value) throws InterruptedException {
            while (full) {
                wait();
            }
            this.value = value;
            full = true;
            notifyAll();
        }

        synchronized int take() throws InterruptedException {
            while (!full) {
                wait();
            }
            full = false;
            notifyAll();
            return value;
        }
    }

    static int counter;
    static volatile boolean ready;
    static int data;

    public static void main(String[] args) throws Exception {
        Buffer buffer = new Buffer();
        Thread producer = new Thread(() -> {
            try {
                for (int i = 1; i <= 5; i++) {
                    buffer.put(i * i);
                }
            } catch (InterruptedException e) {
                System.out.println("interrupted");
            }
        });
        System.out.println(producer.isAlive());
        producer.start();
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += buffer.take();
        }
        producer.join();
        System.out.println(sum + " " + producer.isAlive());
        try {
            producer.start();
        } catch (IllegalThreadStateException e) {
            System.out.println("started twice");
        }
        ReentrantLock lock = new ReentrantLock();
        AtomicInteger atomic = new AtomicInteger(10);
        AtomicLong wide = new AtomicLong();
        Thread[] workers = new Thread[3];
        for (int i = 0; i < workers.length; i++) {
            final int number = i;
            workers[i] = new Thread("worker " + i) {
                @Override
                public void run() {
                    for (int j = 0; j < 10; j++) {
                        lock.lock();
                        try {
                            counter += number;
                        } finally {
                            lock.unlock();
                        }
                        atomic.incrementAndGet();
                        wide.addAndGet(1L << 32);
                    }
                }
            };
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println(counter + " " + atomic.get() + " " + wide.get() + " " + workers[1].getName());
        Thread writer = new Thread(() -> {
            data = 42;
            ready = true;
        });
        writer.start();
        while (!ready) {
            Thread.yield();
        }
        System.out.println(data);
        Thread.sleep(1);
        AtomicBoolean flag = new AtomicBoolean();
        System.out.println(flag.compareAndSet(false, true) + " " + flag.compareAndSet(false, true) + " " + flag.get());
        AtomicReference<String> text = new AtomicReference<>("a");
        String old = text.get();
        System.out.println(text.compareAndSet(old, "b") + " " + text.getAndSet("c") + text.get());
        System.out.println(atomic.compareAndSet(40, 1) + " " + atomic.getAndAdd(5) + " " + atomic);
        System.out.println(Thread.currentThread().getName());
        Thread failing = new Thread(() -> {
            throw new IllegalStateException("dies");
        });
        System.out.println(failing.getName());
        failing.start();
        failing.join();
        System.out.println("end");
    }
}
