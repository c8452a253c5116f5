// The state of a thread before it starts and after it has ended; no two threads have the same number.
// expect sc pass
public class ThreadStates {
    public static void main(String[] arguments) throws InterruptedException {
        Thread worker = new Thread(() -> {});
        assert worker.getState() == Thread.State.NEW;
        worker.start();
        worker.join();
        assert worker.getState() == Thread.State.TERMINATED;
        assert worker.getId() != Thread.currentThread().getId();
    }
}
