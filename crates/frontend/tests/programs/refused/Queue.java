// expect error `new java.util.ArrayDeque`, a class that was not given, in Queue.main, line 7 is not supported
import java.util.ArrayDeque;

/** A class that the library does not have. */
public class Queue {
    public static void main(String[] args) {
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        queue.add(1);
    }
}
