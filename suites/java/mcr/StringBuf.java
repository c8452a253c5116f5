// One buffer is appended to another while it shrinks: its length is asked before its characters, as `java.lang.StringBuffer`
// did it until Java 8.
// expect sc fail
// expect tso fail
// expect pso fail
public class StringBuf {
    static final Buffer buffer = new Buffer("abc");

    static class Buffer {
        private char[] value;
        private int count;

        Buffer(String text) {
            value = new char[text.length() + 16];
            for (int i = 0; i < text.length(); i++) {
                value[i] = text.charAt(i);
            }
            count = text.length();
        }

        synchronized int length() {
            return count;
        }

        synchronized void append(Buffer other) {
            int length = other.length();
            if (count + length > value.length) {
                throw new IllegalStateException("no room");
            }
            other.getChars(length, value, count);
            count += length;
        }

        synchronized void getChars(int until, char[] target, int at) {
            if (until > count) {
                throw new StringIndexOutOfBoundsException("end " + until + ", length " + count);
            }
            System.arraycopy(value, 0, target, at, until);
        }

        synchronized void delete(int from, int until) {
            int to = until > count ? count : until;
            if (from < 0 || from > to) {
                throw new StringIndexOutOfBoundsException("start " + from + ", end " + to + ", length " + count);
            }
            for (int i = to; i < count; i++) {
                value[from + i - to] = value[i];
            }
            count -= to - from;
        }
    }

    static class Eraser extends Thread {
        @Override
        public void run() {
            buffer.delete(0, buffer.length());
        }
    }

    static class Appender extends Thread {
        @Override
        public void run() {
            Buffer copy = new Buffer("");
            copy.append(buffer);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread eraser = new Eraser();
        Thread appender = new Appender();
        eraser.start();
        appender.start();
        eraser.join();
        appender.join();
    }
}
