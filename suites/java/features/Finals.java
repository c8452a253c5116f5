// Exceptions: finally, resources, causes, those that instructions throw. Prints the same in every execution.
// expect sc pass
import java.util.ArrayList;
import java.util.List;

public class Finals {
    static class Wrong extends Exception {
        final int code;
        Wrong(int code) { super("code " + code); this.code = code; }
    }

    static class Resource implements AutoCloseable {
        final String name;
        Resource(String name) { this.name = name; System.out.println("open " + name); }
        @Override
        public void close() throws Wrong { System.out.println("close " + name); if (name.equals("bad")) { throw new Wrong(9); } }
    }

    @SuppressWarnings("finally")
    static int overridden() {
        try {
            throw new RuntimeException("lost");
        } finally {
            return 3;
        }
    }

    static int kept() {
        int x = 1;
        try {
            return x;
        } finally {
            x = 2;
        }
    }

    static String nested(int n) {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            try {
                try {
                    log.append('a');
                    if (i == n) { throw new Wrong(i); }
                    if (i == 1) { continue; }
                    log.append('b');
                } finally {
                    log.append('f');
                    if (n == 5) { break; }
                }
            } catch (Wrong wrong) {
                log.append(wrong.getMessage()).append(wrong.code);
            } finally {
                log.append('g');
            }
        }
        return log.toString();
    }

    static void resources(String second) throws Exception {
        try (Resource a = new Resource("a"); Resource b = new Resource(second)) {
            System.out.println(a.name + b.name);
        } catch (Wrong wrong) {
            System.out.println("caught " + wrong.code);
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(overridden() + " " + kept());
        System.out.println(nested(0) + " " + nested(1) + " " + nested(5) + " " + nested(9));
        resources("b");
        resources("bad");
        try {
            try {
                Object o = "text";
                Integer i = (Integer) o;
                System.out.println(i);
            } catch (ArithmeticException | ClassCastException wrong) {
                throw new IllegalStateException("wrapped", wrong);
            }
        } catch (IllegalStateException wrong) {
            System.out.println(wrong.getMessage() + " " + (wrong.getCause() instanceof ClassCastException));
        }
        int[] array = new int[2];
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            try {
                switch (i) {
                    case 0: array[2] = 1; break;
                    case 1: array[0] = 1 / array[1]; break;
                    case 2: ((Object) null).toString(); break;
                    case 3: array = new int[-1]; break;
                    default: Object[] objects = new String[1]; objects[0] = 1;
                }
            } catch (RuntimeException wrong) {
                seen.add(wrong.getClass().getName());
            }
        }
        System.out.println(seen);
        try {
            throw new Error("an error");
        } catch (Throwable wrong) {
            System.out.println(wrong);
        }
        new Wrong(4).toString().length();
        System.out.println(new Wrong(4));
    }
}
