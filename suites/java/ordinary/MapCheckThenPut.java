// get and then put on a ConcurrentHashMap is not atomic.
// expect sc fail
import java.util.concurrent.ConcurrentHashMap;

public class MapCheckThenPut {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentHashMap<String, Integer> words = new ConcurrentHashMap<>();
        words.put("a", 0);
        Runnable count = () -> words.put("a", words.get("a") + 1);
        Thread one = new Thread(count);
        Thread two = new Thread(count);
        one.start();
        two.start();
        one.join();
        two.join();
        if (words.get("a") != 2) {
            throw new AssertionError("lost");
        }
    }
}
