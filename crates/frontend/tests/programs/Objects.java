/** Inheritance, interfaces with default methods, inner classes, enums, static initialisers. */
public class Objects {
    interface Shape {
        int area();

        default String describe() {
            return name() + " of " + area();
        }

        String name();
    }

    interface Named extends Shape {
        @Override
        default String describe() {
            return "named " + Shape.super.describe();
        }
    }

    abstract static class Base implements Shape {
        protected int size;
        static int made;

        Base(int size) {
            this.size = size;
            made++;
            setUp();
        }

        void setUp() {
            size += 1;
        }

        @Override
        public String toString() {
            return "<" + describe() + ">";
        }
    }

    static class Square extends Base {
        Square(int size) {
            super(size);
        }

        @Override
        public int area() {
            return size * size;
        }

        @Override
        public String name() {
            return "square";
        }
    }

    static class Cube extends Square implements Named {
        private long weight = 5L;

        Cube(int size) {
            super(size);
        }

        @Override
        void setUp() {
            super.setUp();
            weight = 99;
        }

        @Override
        public int area() {
            return 6 * super.area();
        }

        @Override
        public String name() {
            return "cube " + weight;
        }
    }

    class Inner {
        int value = 3;

        int sum() {
            return value + field;
        }
    }

    int field = 4;

    enum Color {
        RED(1) {
            @Override
            String word() {
                return "red!";
            }
        },
        GREEN(2),
        BLUE(3);

        final int code;

        Color(int code) {
            this.code = code;
        }

        String word() {
            return name().substring(0, 1) + code;
        }
    }

    static class Loud {
        static int count = announce();

        static int announce() {
            System.out.println("Loud is initialised");
            return 17;
        }
    }

    static class Failing {
        static int value = 1 / zero();

        static int zero() {
            return 0;
        }
    }

    static int number(Color color) {
        switch (color) {
            case RED:
                return 100;
            case BLUE:
                return 300;
            default:
                return -1;
        }
    }

    static int byText(String text) {
        switch (text) {
            case "one":
                return 1;
            case "two":
                return 2;
            default:
                return 0;
        }
    }

    public static void main(String[] args) {
        Shape[] shapes = {new Square(2), new Cube(1)};
        for (Shape shape : shapes) {
            System.out.println(shape.describe());
            System.out.println(shape);
            System.out.println(shape instanceof Named);
        }
        System.out.println(Base.made);
        Objects outer = new Objects();
        Inner inner = outer.new Inner();
        outer.field = 10;
        System.out.println(inner.sum());
        System.out.println("before");
        System.out.println(Loud.count);
        System.out.println(Loud.count);
        for (Color color : Color.values()) {
            System.out.println(color + " " + color.word() + " " + color.ordinal() + " " + number(color));
        }
        System.out.println(byText("two") + byText("one") + byText("three"));
        try {
            System.out.println(Failing.value);
        } catch (ExceptionInInitializerError e) {
            System.out.println("initialiser " + (e.getCause() instanceof ArithmeticException));
        }
        try {
            System.out.println(Failing.value);
        } catch (NoClassDefFoundError e) {
            System.out.println("no class");
        }
        Runnable local = new Runnable() {
            int calls = 2;

            @Override
            public void run() {
                calls++;
                System.out.println("anonymous " + calls + " " + inner.value);
            }
        };
        local.run();
        local.run();
        System.out.println(new Object() {
            @Override
            public String toString() {
                return "own";
            }
        });
        System.out.println(shapes.getClass().getName().length() > 0);
        System.out.println(shapes[1].getClass() == Cube.class);
        System.out.println(new Cube(3).equals(shapes[1]));
    }
}
