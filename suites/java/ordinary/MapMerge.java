// merge of a ConcurrentHashMap is atomic.
// expect sc pass
import java.util.concurrent.ConcurrentHashMap;

public class MapMerge {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentHashMap<String, Integer> words = new ConcurrentHashMap<>();
        Runnable count = () -> words.merge("a", 1, Integer::sum);
        Thread one = new Thread(count);
        Thread two = new Thread(count);
        one.start();
        two.start();
        one.join();
        two.join();
        if (words.get("a") != 2) {
            throw new AssertionError(words.toString());
        }
    }
}
