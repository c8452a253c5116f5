// Iterating a CopyOnWriteArrayList while another thread adds.
// expect sc pass
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

public class CopyOnWrite {
    public static void main(String[] args) throws InterruptedException {
        List<Integer> list = new CopyOnWriteArrayList<>();
        list.add(1);
        Thread other = new Thread(() -> list.add(2));
        other.start();
        int sum = 0;
        for (int each : list) {
            sum += each;
        }
        other.join();
        assert sum == 1 || sum == 3;
        assert list.size() == 2;
    }
}
