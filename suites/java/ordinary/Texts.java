// Numbers with decimal places, parts of strings and formats, as Java writes them.
// expect sc pass
public class Texts {
    enum Level {
        LOW, HIGH {
            @Override
            public String toString() {
                return "high";
            }
        }
    }

    private static void same(String expected, String found) {
        if (!expected.equals(found)) {
            throw new AssertionError(found);
        }
    }

    public static void main(String[] arguments) {
        same("0.1 -2.5 100.0 3.14159 0.001 1234567.25", 0.1 + " " + -2.5 + " " + 100.0 + " " + 3.14159 + " " + 0.001 + " " + 1234567.25);
        same("1.50|  2.3|-0.13|7.000000", String.format("%.2f|%5.1f|%.2f|%f", 1.5, 2.25, -0.125, 7.0));
        same("0042|-007|ff|a   |   b", String.format("%04d|%04d|%x|%-4s|%4s", 42, -7, 255, "a", "b"));
        same("a+b+c", String.join("+", "a,b,c,,".split(",")));
        same("x y", String.join(" ", "x \t y".split("\\s+")));
        same("b-a-b-a", "bxaxbxa".replace("x", "-"));
        same("a1b", new StringBuilder("ab").insert(1, 1).toString());
        if (Level.HIGH.getDeclaringClass() != Level.class || "abcabc".indexOf("c", 3) != 5) {
            throw new AssertionError();
        }
    }
}
