// ArrayList and HashMap. Prints the same in every execution.
// expect sc pass
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

public class Lists {
    static void lists() {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            list.add(i * i % 7);
        }
        list.add(3, 99);
        list.remove(0);
        list.remove(Integer.valueOf(4));
        System.out.println(list.size() + " " + list.get(2) + " " + list.indexOf(99) + " " + list.contains(100));
        System.out.println(list.set(1, -5) + " " + list.isEmpty());
        int sum = 0;
        for (int each : list) {
            sum = sum * 31 + each;
        }
        System.out.println(sum);
        for (Iterator<Integer> walk = list.iterator(); walk.hasNext();) {
            if (walk.next() % 2 == 0) {
                walk.remove();
            }
        }
        System.out.println(list);
        List<String> words = new ArrayList<>();
        words.add("b");
        words.add("a");
        words.add(null);
        System.out.println(words + " " + words.indexOf(null) + " " + words.equals(new ArrayList<>(words)));
        words.addAll(words);
        System.out.println(words.size() + " " + words.hashCode());
        words.clear();
        System.out.println(words.isEmpty());
        try {
            list.get(50);
        } catch (IndexOutOfBoundsException wrong) {
            System.out.println("out of bounds");
        }
    }

    static void maps() {
        Map<String, Integer> map = new HashMap<>();
        String[] keys = {"one", "two", "three", "four", "five", "six", "seven", "one", "two"};
        for (String key : keys) {
            map.put(key, map.getOrDefault(key, 0) + key.length());
        }
        System.out.println(map.size() + " " + map.get("one") + " " + map.get("eight") + " " + map.containsKey("six"));
        System.out.println(map.remove("three") + " " + map.remove("nine") + " " + map.containsValue(10));
        int total = 0;
        for (Map.Entry<String, Integer> entry : map.entrySet()) {
            total += entry.getKey().length() * entry.getValue();
        }
        System.out.println(total + " " + map.putIfAbsent("one", 3) + " " + map.putIfAbsent("ten", 10));
        int count = 0;
        for (String key : map.keySet()) {
            count += key.charAt(0);
        }
        for (int value : map.values()) {
            count += value;
        }
        System.out.println(count);
        Map<Integer, Integer> squares = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            squares.put(i, i * i);
        }
        System.out.println(squares.get(39) + " " + squares.size() + " " + squares);
        map.clear();
        System.out.println(map.isEmpty());
    }

    public static void main(String[] args) {
        lists();
        maps();
    }
}
