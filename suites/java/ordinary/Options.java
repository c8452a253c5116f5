// Optional, a lambda that throws, and an enum in a switch.
// expect sc pass
import java.util.Optional;

public class Options {
    enum Level { LOW, HIGH }

    static volatile Level level = Level.LOW;

    static int cost(Level of) {
        return switch (of) {
            case LOW -> 1;
            case HIGH -> 2;
        };
    }

    public static void main(String[] args) throws InterruptedException {
        Thread raise = new Thread(() -> level = Level.HIGH);
        raise.start();
        Optional<Integer> found = Optional.of(level).map(Options::cost).filter(c -> c < 3);
        int cost = found.orElseThrow(() -> new IllegalStateException("none"));
        raise.join();
        if (cost != 1 && cost != 2) {
            throw new IllegalStateException("cost " + cost);
        }
        System.out.println(level + " " + Level.valueOf("LOW").ordinal());
    }
}
