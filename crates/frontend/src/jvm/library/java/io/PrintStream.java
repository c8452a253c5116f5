package java.io;

/** What is printed is observed: numbers as they are, text by its characters. */
public class PrintStream {
    private PrintStream() {}

    public native void print(int number);

    public native void print(long number);

    public native void print(double number);

    public native void print(float number);

    public native void print(char c);

    public void print(boolean b) {
        print(b ? "true" : "false");
    }

    public void print(String text) {
        if (text == null) {
            text = "null";
        }
        for (int i = 0; i < text.length(); i++) {
            print(text.charAt(i));
        }
    }

    public void print(char[] text) {
        for (int i = 0; i < text.length; i++) {
            print(text[i]);
        }
    }

    public void print(Object object) {
        print(String.valueOf(object));
    }

    public void println() {
        print('\n');
    }

    public void println(int number) {
        print(number);
        print('\n');
    }

    public void println(long number) {
        print(number);
        print('\n');
    }

    public void println(double number) {
        print(number);
        print('\n');
    }

    public void println(float number) {
        print(number);
        print('\n');
    }

    public void println(char c) {
        print(c);
        print('\n');
    }

    public void println(boolean b) {
        print(b);
        print('\n');
    }

    public void println(String text) {
        print(text);
        print('\n');
    }

    public void println(char[] text) {
        print(text);
        print('\n');
    }

    public void println(Object object) {
        print(object);
        print('\n');
    }

    public void flush() {}

    public PrintStream printf(String format, Object... values) {
        print(String.format(format, values));
        return this;
    }

    public PrintStream format(String format, Object... values) {
        return printf(format, values);
    }
}
