// When static initialisers run. Prints the same in every execution.
// expect sc pass
public class Statics {
    static StringBuilder log = new StringBuilder();

    static class Base {
        static int first = note("Base.first");
        static final int CONSTANT = 7;
        static {
            note("Base block");
        }
        static void touch() { }
    }

    static class Derived extends Base {
        static int second = note("Derived.second") + first;
        static {
            note("Derived block");
        }
    }

    static class Holder {
        static final Holder INSTANCE = new Holder();
        static int count = 10;
        int own;
        Holder() { own = count; count++; note("Holder()"); }
    }

    static class Failing {
        static int value = 1 / zero();
        static int zero() { return 0; }
    }

    interface Lazy {
        int VALUE = note("Lazy.VALUE");
    }

    enum Color {
        RED("r"), GREEN("g");
        final String letter;
        static { note("Color block"); }
        Color(String letter) { this.letter = letter; note("Color " + letter); }
    }

    static int note(String what) {
        log.append(what).append('\n');
        return log.length();
    }

    public static void main(String[] args) {
        System.out.println(Base.CONSTANT);
        note("before");
        Derived.touch();
        note("touched");
        System.out.println(Derived.second);
        System.out.println(Holder.count + " " + Holder.INSTANCE.own);
        try {
            System.out.println(Failing.value);
        } catch (ExceptionInInitializerError wrong) {
            note("failed");
        }
        try {
            System.out.println(Failing.value);
        } catch (NoClassDefFoundError wrong) {
            note("failed again");
        }
        note("lazy");
        System.out.println(Lazy.VALUE);
        System.out.println(Color.GREEN.letter + Color.RED + Color.values().length + Color.GREEN.ordinal());
        System.out.print(log);
    }
}
