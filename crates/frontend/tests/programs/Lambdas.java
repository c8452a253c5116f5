import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Lambdas, method references, lists and maps. */
public class Lambdas {
    interface Operation {
        int apply(int a, int b);
    }

    private int base = 100;

    Lambdas() {}

    Lambdas(int base) {
        this.base = base;
    }

    int plus(int a, int b) {
        return base + a + b;
    }

    static int minus(int a, int b) {
        return a - b;
    }

    static int twice(Operation operation, int a) {
        return operation.apply(operation.apply(a, a), a);
    }

    public static void main(String[] args) {
        int captured = 7;
        long wide = 1L << 35;
        System.out.println(twice((a, b) -> a * b + captured, 3));
        System.out.println(twice(Lambdas::minus, 3));
        System.out.println(twice(new Lambdas()::plus, 3));
        Supplier<String> supplier = () -> "supplied " + wide;
        System.out.println(supplier.get());
        Function<Integer, Integer> increment = x -> x + 1;
        System.out.println(increment.apply(41));
        Function<Integer, Integer> composed = increment.andThen(x -> x * 2);
        System.out.println(composed.apply(4));
        List<String> list = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            list.add("n" + i);
        }
        list.remove(3);
        list.remove("n5");
        list.set(0, "first");
        System.out.println(list.size() + " " + list.get(0) + " " + list.contains("n14") + " " + list.indexOf("n6"));
        System.out.println(list);
        list.forEach(text -> System.out.print(text.length()));
        System.out.println();
        try {
            list.get(13);
        } catch (IndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            for (String text : list) {
                list.remove(text);
            }
        } catch (java.util.ConcurrentModificationException e) {
            System.out.println("modified");
        }
        Map<String, Integer> counts = new HashMap<>();
        for (String word : new String[] {"b", "a", "c", "a", "b", "a", "Aa", "BB"}) {
            Integer old = counts.get(word);
            counts.put(word, old == null ? 1 : old + 1);
        }
        System.out.println(counts);
        for (Map.Entry<String, Integer> entry : counts.entrySet()) {
            System.out.println(entry.getKey() + "=" + entry.getValue());
        }
        System.out.println(counts.containsKey("c") + " " + counts.remove("c") + " " + counts.size());
        System.out.println(counts.getOrDefault("zz", -1) + counts.keySet().size());
        for (int i = 0; i < 40; i++) {
            counts.put("k" + i, i);
        }
        int sum = 0;
        for (int value : counts.values()) {
            sum += value;
        }
        System.out.println(sum + " " + counts.keySet());
        Function<String, Integer> length = String::length;
        System.out.println(length.apply("four"));
        Supplier<List<String>> maker = ArrayList::new;
        System.out.println(maker.get().size());
        Function<Integer, Lambdas> numbered = Lambdas::new;
        System.out.println(numbered.apply(5).plus(1, 1));
        Supplier<Boolean> truth = list::isEmpty;
        System.out.println(truth.get());
        java.util.function.BinaryOperator<Integer> greater = Math::max;
        System.out.println(greater.apply(3, 9));
        java.util.function.LongUnaryOperator sign = Long::signum;
        System.out.println(sign.applyAsLong(-5L));
        try {
            length.apply(null);
        } catch (NullPointerException e) {
            System.out.println("no text");
        }
    }
}
