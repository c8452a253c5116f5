// One buffer is appended to another while it shrinks: its length is asked before its characters.
// expect sc fail
// expect tso fail
// expect pso fail
public class StringBuf {
    static final StringBuffer buffer = new StringBuffer("abc");

    static class Eraser extends Thread {
        @Override
        public void run() {
            buffer.delete(0, buffer.length());
        }
    }

    static class Appender extends Thread {
        @Override
        public void run() {
            StringBuffer copy = new StringBuffer();
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
