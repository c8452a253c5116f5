import palisade.Special;
import palisade.ThreadBody;

/** One thread for each construct that is refused. */
class Refused {
    static int x;
    static Object o = new Object();
    static double d;

    interface Shape {
        int area();
    }

    static class Square implements Shape {
        public int area() {
            return 1;
        }
    }

    static class Circle implements Shape {
        public int area() {
            return 3;
        }
    }

    static Shape shape = new Square();

    @ThreadBody
    static void recursion() {
        x = factorial(3);
    }

    static int factorial(int n) {
        return n == 0 ? 1 : n * factorial(n - 1);
    }

    @ThreadBody
    static void dispatch() {
        x = shape.area();
    }

    @ThreadBody
    static void library() {
        x = Integer.parseInt("3");
    }

    @ThreadBody
    static void made() {
        o = new StringBuilder();
    }

    @ThreadBody
    static void caught() {
        try {
            x = 1;
        } catch (RuntimeException e) {
            x = 2;
        }
    }

    @ThreadBody
    static void finished() {
        try {
            x = 1;
        } finally {
            x = 2;
        }
    }

    @ThreadBody
    static void thrown() {
        throw new IllegalStateException();
    }

    @ThreadBody
    static void floating() {
        float f = x;
    }

    @ThreadBody
    static void field() {
        d = 1;
    }

    @ThreadBody
    static void tested() {
        if (o instanceof String) {
            x = 1;
        }
    }

    @ThreadBody
    static void length() {
        int[] a = (int[]) o;
        x = a.length;
    }

    @ThreadBody
    static void sized() {
        o = new int[x];
    }

    @ThreadBody
    static void outside() {
        int[] a = new int[2];
        a[2] = 1;
    }

    @ThreadBody
    static void starts() {
        new Thread(() -> x = 1).start();
    }

    @Special
    static int answer() {
        return 42;
    }

    @ThreadBody
    static void special() {
        x = answer();
    }

    @ThreadBody
    static int result() {
        return 1;
    }

    @ThreadBody(after = "nobody")
    static void lonely() {}

    @ThreadBody
    static void nested() {
        o = new int[2][2];
    }
}
