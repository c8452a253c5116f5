/** Exceptions of instructions and programs, handlers, finally. */
public class Exceptions {
    static class Wrong extends Exception {
        final int code;

        Wrong(String message, int code) {
            super(message);
            this.code = code;
        }
    }

    static int depth;

    static int divide(int a, int b) {
        return a / b;
    }

    static int withFinally(int way) {
        try {
            if (way == 0) {
                return 10;
            }
            if (way == 1) {
                throw new IllegalStateException("one");
            }
            depth++;
        } catch (IllegalStateException e) {
            System.out.println("caught " + e.getMessage());
            return 20;
        } finally {
            System.out.println("finally " + way);
            depth += 100;
        }
        return 30;
    }

    static void nested(int n) throws Wrong {
        try {
            try {
                if (n == 0) {
                    throw new Wrong("zero", 7);
                }
                Object nothing = n == 1 ? null : "text";
                System.out.println(nothing.hashCode() != 0);
                int[] numbers = new int[n - 3];
                numbers[n] = 1;
            } finally {
                System.out.println("inner");
            }
        } catch (NullPointerException e) {
            System.out.println("null");
        } finally {
            System.out.println("outer");
        }
    }

    static synchronized void held(boolean fails) {
        if (fails) {
            throw new RuntimeException("held");
        }
        System.out.println("free");
    }

    static int recursive(int n) {
        if (n == 0) {
            throw new UnsupportedOperationException();
        }
        return recursive(n - 1) + 1;
    }

    public static void main(String[] args) {
        try {
            System.out.println(divide(7, 2));
            System.out.println(divide(1, 0));
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        for (int way = 0; way < 3; way++) {
            System.out.println(withFinally(way));
        }
        System.out.println(depth);
        for (int n = 0; n < 6; n++) {
            try {
                nested(n);
            } catch (Wrong e) {
                System.out.println(e.getMessage() + " " + e.code);
            } catch (NegativeArraySizeException | ArrayIndexOutOfBoundsException e) {
                System.out.println(e);
            }
        }
        Object text = "text";
        try {
            Integer number = (Integer) text;
            System.out.println(number);
        } catch (ClassCastException e) {
            System.out.println("cast");
        }
        try {
            Object[] objects = new String[1];
            objects[0] = Integer.valueOf(3);
        } catch (ArrayStoreException e) {
            System.out.println(e.getMessage());
        }
        for (boolean fails : new boolean[] {true, false}) {
            try {
                held(fails);
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
        try {
            recursive(5);
        } catch (RuntimeException e) {
            System.out.println(e.toString());
        }
        try {
            synchronized (text) {
                throw new Error("inside", new Wrong("cause", 1));
            }
        } catch (Error e) {
            System.out.println(e.getMessage() + " " + e.getCause().getMessage());
        }
        try {
            assert depth < 0 : "depth " + depth;
        } catch (AssertionError e) {
            System.out.println(e.getMessage());
        }
        outer:
        for (int i = 0; i < 3; i++) {
            try {
                for (int j = 0; j < 3; j++) {
                    if (j == 2) {
                        continue outer;
                    }
                    if (i == 2) {
                        break outer;
                    }
                }
            } finally {
                System.out.println("leaving " + i);
            }
        }
    }
}
