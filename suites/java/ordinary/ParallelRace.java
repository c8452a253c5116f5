// A parallel stream whose function is not safe.
// expect sc fail
// expect jmm fail
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class ParallelRace {
    static int total;
    public static void main(String[] args) throws Exception {
        IntStream.range(0, 2).parallel().forEach(i -> total++);
        if (total != 2) throw new AssertionError(total);
    }
}
