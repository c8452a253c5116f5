// The same with a second read of the hash code, which may see the initial value.
// expect sc pass engine=operational,mcr
// expect jmm_under fail
// expect jmm_over fail
import palisade.ThreadBody;

public class LazyHashAgain {
    static final class Text {
        private final char[] value;
        private int hash;

        Text(char first, char second) {
            value = new char[] {first, second};
        }

        int code() {
            int h = hash;
            if (h == 0) {
                h = 31 * value[0] + value[1];
                hash = h;
            }
            return hash;
        }
    }

    static Text text;

    @ThreadBody
    static void publish() {
        text = new Text('a', 'b');
    }

    @ThreadBody
    static void one() {
        Text t = text;
        if (t != null) assert t.code() == 31 * 'a' + 'b';
    }

    @ThreadBody
    static void two() {
        Text t = text;
        if (t != null) assert t.code() == 31 * 'a' + 'b';
    }
}
