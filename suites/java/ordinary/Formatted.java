// String.format, and joining of texts.
// expect sc pass
import java.util.List;

public class Formatted {
    public static void main(String[] args) throws InterruptedException {
        StringBuilder log = new StringBuilder();
        Thread one = new Thread(() -> {
            synchronized (log) {
                log.append(String.format("%s-%d", "x", 7));
            }
        });
        one.start();
        one.join();
        System.out.println(log + " " + String.join(",", List.of("a", "b")) + " " + "abc".repeat(2));
        if (!log.toString().equals("x-7")) {
            throw new IllegalStateException(log.toString());
        }
    }
}
