// The lazily computed hash code of an immutable text. The race on `hash` is benign: it is read once.
// With four threads.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_over pass
public class Hash4 {
    static final class Text {
        private final char[] value;
        private final int offset;
        private final int count;
        private int hash;

        Text(char[] value) {
            this.value = value;
            this.offset = 0;
            this.count = value.length;
        }

        int code() {
            int h = hash;
            int length = count;
            if (h == 0 && length > 0) {
                int at = offset;
                for (int i = 0; i < length; i++) {
                    h = 31 * h + value[at++];
                }
                hash = h;
            }
            return h;
        }
    }

    static final int EXPECTED = 31 * 'h' + 'i';
    static Text text;

    static class Client extends Thread {
        @Override
        public void run() {
            assert text.code() == EXPECTED;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        text = new Text(new char[] {'h', 'i'});
        Client first = new Client();
        Client second = new Client();
        Client third = new Client();
        Client fourth = new Client();
        first.start();
        second.start();
        third.start();
        fourth.start();
        first.join();
        second.join();
        third.join();
        fourth.join();
    }
}
