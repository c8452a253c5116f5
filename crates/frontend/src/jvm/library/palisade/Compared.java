package palisade;

/** What the assertions of JUnit compare, and what they say. */
public final class Compared {
    private Compared() {}

    public static boolean equal(Object expected, Object actual) {
        return expected == null ? actual == null : expected.equals(actual);
    }

    public static boolean near(double expected, double actual, double delta) {
        double apart = expected < actual ? actual - expected : expected - actual;
        return expected == actual || apart <= delta;
    }

    public static boolean equal(int[] expected, int[] actual) {
        if (expected == null || actual == null || expected.length != actual.length) {
            return expected == actual;
        }
        for (int i = 0; i < expected.length; i++) {
            if (expected[i] != actual[i]) {
                return false;
            }
        }
        return true;
    }

    public static boolean equal(Object[] expected, Object[] actual) {
        if (expected == null || actual == null || expected.length != actual.length) {
            return expected == actual;
        }
        for (int i = 0; i < expected.length; i++) {
            if (!equal(expected[i], actual[i])) {
                return false;
            }
        }
        return true;
    }

    public static String values(Object expected, Object actual) {
        return "expected: <" + expected + "> but was: <" + actual + ">";
    }
}
