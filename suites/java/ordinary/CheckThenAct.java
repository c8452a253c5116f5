// size and then remove is not atomic on a synchronized list.
// expect sc fail
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class CheckThenAct {
    public static void main(String[] args) throws InterruptedException {
        List<String> list = Collections.synchronizedList(new ArrayList<>());
        list.add("only");
        Runnable take = () -> {
            if (list.size() > 0) {
                list.remove(0);
            }
        };
        Thread other = new Thread(take);
        other.start();
        take.run();
        other.join();
    }
}
