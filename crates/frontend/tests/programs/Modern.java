/** What compilers since Java 9 write differently. */
public class Modern {
    private final int number;

    Modern(int number) {
        this.number = number;
    }

    static class Nested {
        private int secret = 5;

        private int reveal(int more) {
            return secret + more;
        }
    }

    private String show(Object... values) {
        String text = "number " + number;
        for (var value : values) {
            text += ", " + value;
        }
        return text + '!' + 1L + true;
    }

    interface Greeter {
        private String word() {
            return "hi";
        }

        default String greet(String name) {
            return word() + " " + name;
        }
    }

    public static void main(String[] args) {
        Nested nested = new Nested();
        System.out.println(nested.reveal(2) + nested.secret);
        System.out.println(new Modern(3).show("a", null, 4, 'c'));
        System.out.println(new Greeter() {}.greet("you"));
        char c = 'x';
        byte b = -3;
        System.out.println("" + c + b + (short) 7 + null);
        Runnable runnable = () -> System.out.println("run " + c + nested.reveal(1));
        runnable.run();
    }
}
