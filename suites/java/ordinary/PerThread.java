// Each thread has its own value of a ThreadLocal.
// expect sc pass
public class PerThread {
    static final ThreadLocal<Integer> count = ThreadLocal.withInitial(() -> 10);

    public static void main(String[] args) throws InterruptedException {
        count.set(count.get() + 5);
        Thread other = new Thread(() -> {
            count.set(count.get() + 1);
            if (count.get() != 11) {
                throw new IllegalStateException("value " + count.get());
            }
        });
        other.start();
        other.join();
        if (count.get() != 15) {
            throw new IllegalStateException("value " + count.get());
        }
        System.out.println(count.get());
    }
}
