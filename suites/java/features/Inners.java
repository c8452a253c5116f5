// Inner, nested, local and anonymous classes. Prints the same in every execution.
// expect sc pass
import java.util.function.IntSupplier;

public class Inners {
    private int total = 1;

    class Counter {
        int total = 10;
        class Deeper {
            int sum() { return total + Inners.this.total + Counter.this.total; }
        }
        void add(int by) { Inners.this.total += by; total -= by; }
    }

    static class Nested {
        private int secret = 5;
        private static int made;
        Nested() { made++; }
    }

    IntSupplier captured(int base) {
        int[] cell = {base};
        class Local implements IntSupplier {
            @Override
            public int getAsInt() { return cell[0] + total; }
        }
        IntSupplier local = new Local();
        cell[0]++;
        return new IntSupplier() {
            int calls;
            @Override
            public int getAsInt() { calls++; return local.getAsInt() * 100 + calls; }
        };
    }

    static abstract class Shape {
        abstract int area();
        public String toString() { return name() + ":" + area(); }
        String name() { return "shape"; }
    }

    public static void main(String[] args) {
        Inners outer = new Inners();
        Counter counter = outer.new Counter();
        Counter.Deeper deeper = counter.new Deeper();
        counter.add(3);
        System.out.println(deeper.sum() + " " + outer.total + " " + counter.total);
        Nested nested = new Nested();
        nested.secret += new Nested().secret;
        System.out.println(nested.secret + " " + Nested.made);
        IntSupplier supplier = outer.captured(20);
        supplier.getAsInt();
        System.out.println(supplier.getAsInt());
        Shape square = new Shape() {
            @Override
            int area() { return 25; }
        };
        Shape circle = new Shape() {
            @Override
            int area() { return 3; }
            @Override
            String name() { return "circle" + super.name().length(); }
        };
        System.out.println(square + " " + circle);
        Runnable chain = () -> {
            Runnable inner = () -> System.out.println(outer.total + counter.total);
            inner.run();
        };
        chain.run();
    }
}
