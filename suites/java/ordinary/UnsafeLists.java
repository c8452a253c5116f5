// Two threads that add to an ArrayList may lose an element.
// expect sc fail
import java.util.ArrayList;
import java.util.List;

public class UnsafeLists {
    public static void main(String[] args) throws InterruptedException {
        List<Integer> list = new ArrayList<>(4);
        Thread other = new Thread(() -> list.add(1));
        other.start();
        list.add(2);
        other.join();
        java.util.Objects.checkIndex(1, list.size());
        if (list.get(0) == null || list.get(1) == null) {
            throw new IllegalStateException();
        }
    }
}
