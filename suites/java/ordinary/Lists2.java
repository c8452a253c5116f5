// Arrays.asList, LinkedList, ArrayDeque, Collections.sort, iterators.
// expect sc pass
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;

public class Lists2 {
    public static void main(String[] args) throws InterruptedException {
        List<Integer> numbers = new ArrayList<>(Arrays.asList(3, 1, 2));
        Collections.sort(numbers);
        LinkedList<String> names = new LinkedList<>();
        names.add("b");
        names.addFirst("a");
        Deque<Integer> stack = new ArrayDeque<>();
        for (int n : numbers) {
            stack.push(n);
        }
        System.out.println(numbers + " " + names + " " + stack.pop() + " " + names.getLast());
        if (stack.size() != 2) {
            throw new IllegalStateException();
        }
    }
}
