// The opening example of Java PathRelaxer: a text with final fields and a hash code that is computed when it is asked for,
// here published by a race as well. The races are benign.
// expect sc pass engine=operational,mcr
// expect pso pass engine=operational,mcr
// expect jmm_under pass
// expect jmm_over pass
import palisade.ThreadBody;

public class LazyHash {
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
                h = 31 * value[0] + value[1];
                hash = h;
            }
            return h;
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
