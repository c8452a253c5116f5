// putIfAbsent of a ConcurrentSkipListMap.
// expect sc pass
import java.util.concurrent.ConcurrentSkipListMap;

public class SkipList {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentSkipListMap<Integer, String> map = new ConcurrentSkipListMap<>();
        Thread other = new Thread(() -> map.putIfAbsent(1, "a"));
        other.start();
        map.putIfAbsent(1, "b");
        other.join();
        assert map.size() == 1;
    }
}
