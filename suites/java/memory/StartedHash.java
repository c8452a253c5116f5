// `LazyHash` with threads that `main` starts: the same answers.
// expect sc pass engine=operational,mcr
// expect pso pass engine=operational,mcr
// expect jmm_under pass
// expect jmm_over pass
public class StartedHash {
    static final class Text {
        private final char[] value;
        private final int count;
        private int hash;

        Text(char first, char second) {
            value = new char[] {first, second};
            count = 2;
        }

        int code() {
            int h = hash;
            if (h == 0) {
                for (int i = 0; i < count; i++) h = 31 * h + value[i];
                hash = h;
            }
            return h;
        }
    }

    static Text text;

    public static void main(String[] args) throws InterruptedException {
        Runnable reader = () -> {
            Text t = text;
            if (t != null) assert t.code() == 31 * 'a' + 'b';
        };
        Thread one = new Thread(reader), two = new Thread(reader);
        one.start();
        two.start();
        text = new Text('a', 'b');
        one.join();
        two.join();
    }
}
