// Every operation of the atomic classes and of ReentrantLock. Prints the same in every execution.
// expect sc pass
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

public class Atomics {
    static int shared;

    public static void main(String[] args) throws InterruptedException {
        AtomicInteger number = new AtomicInteger(5);
        System.out.println(number.getAndIncrement() + " " + number.incrementAndGet() + " " + number.getAndAdd(10));
        System.out.println(number.addAndGet(-3) + " " + number.decrementAndGet() + " " + number.getAndDecrement());
        System.out.println(number.compareAndSet(12, 1) + " " + number.compareAndSet(number.get(), 2) + " " + number.get());
        System.out.println(number.getAndSet(7) + " " + number.updateAndGet(x -> x * 3) + " " + number.getAndUpdate(x -> x + 1));
        System.out.println(number.accumulateAndGet(4, (a, b) -> a - b) + " " + number);
        number.set(3);
        System.out.println(number.intValue());
        AtomicLong large = new AtomicLong(1L << 40);
        System.out.println(large.incrementAndGet() + " " + large.getAndAdd(1L << 41) + " " + large.compareAndSet(1, 2));
        AtomicBoolean flag = new AtomicBoolean();
        System.out.println(flag.getAndSet(true) + " " + flag.compareAndSet(false, true) + " " + flag.get());
        AtomicReference<String> text = new AtomicReference<>("a");
        String old = text.get();
        System.out.println(text.compareAndSet(old, "b") + " " + text.getAndSet("c") + " " + text.get());
        System.out.println(text.updateAndGet(s -> s + "d"));
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        System.out.println(lock.tryLock() + " " + lock.isLocked() + " " + lock.isHeldByCurrentThread() + " " + lock.getHoldCount());
        Thread other = new Thread(() -> {
            System.out.println(lock.tryLock() + " " + lock.isHeldByCurrentThread());
            lock.lock();
            try {
                shared++;
            } finally {
                lock.unlock();
            }
        });
        other.start();
        Thread.sleep(50);
        lock.unlock();
        lock.unlock();
        other.join();
        System.out.println(shared + " " + lock.isLocked());
        try {
            lock.unlock();
        } catch (IllegalMonitorStateException wrong) {
            System.out.println("not held");
        }
    }
}
