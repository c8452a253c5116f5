// The hash code of a text as java.lang.String has it since JDK 13: two plain fields beside final ones, one of them for texts whose hash code
// is 0. The text is published by a race. The races are benign.
// expect sc pass engine=operational,mcr
// expect jmm_under unknown
// expect jmm_over pass
// expect jmm pass
import palisade.ThreadBody;

public class LazyHashNow {
    static final class Text {
        private final byte[] bytes;
        private int hash;
        private boolean isZero;

        Text(int first, int second) {
            bytes = new byte[] {(byte) first, (byte) second};
        }

        int code() {
            int known = hash;
            if (known == 0 && !isZero) {
                known = 31 * bytes[0] + bytes[1];
                if (known == 0) {
                    isZero = true;
                } else {
                    hash = known;
                }
            }
            return known;
        }
    }

    static Text text;
    static Text empty;

    @ThreadBody
    static void publish() {
        text = new Text('a', 'b');
        empty = new Text(0, 0);
    }

    @ThreadBody
    static void one() {
        Text t = text;
        if (t != null) assert t.code() == 31 * 'a' + 'b';
        Text e = empty;
        if (e != null) assert e.code() == 0;
    }

    @ThreadBody
    static void two() {
        Text t = text;
        if (t != null) assert t.code() == 31 * 'a' + 'b';
        Text e = empty;
        if (e != null) assert e.code() == 0;
    }
}
