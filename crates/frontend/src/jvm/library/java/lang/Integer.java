package java.lang;

public final class Integer extends Number implements Comparable<Integer>, java.lang.constant.Constable, java.lang.constant.ConstantDesc {
    public static final int MIN_VALUE = 0x80000000;
    public static final int MAX_VALUE = 0x7fffffff;

    private final int value;

    public Integer(int value) {
        this.value = value;
    }

    /** The one object for a value from -128 to 127. */
    private static native Integer cached(int value);

    public static Integer valueOf(int value) {
        return value >= -128 && value <= 127 ? cached((int) value) : new Integer(value);
    }

    public int intValue() {
        return (int) value;
    }

    public long longValue() {
        return value;
    }

    public float floatValue() {
        return value;
    }

    public double doubleValue() {
        return value;
    }

    public boolean equals(Object other) {
        return other instanceof Integer && ((Integer) other).value == value;
    }

    public int hashCode() {
        return hashCode(value);
    }

    public static int hashCode(int value) {
        return value;
    }

    public int compareTo(Integer other) {
        return compare(value, other.value);
    }

    public static int compare(int a, int b) {
        return a < b ? -1 : a == b ? 0 : 1;
    }

    public static int max(int a, int b) {
        return a >= b ? a : b;
    }

    public static int min(int a, int b) {
        return a <= b ? a : b;
    }

    public static int sum(int a, int b) {
        return a + b;
    }

    public static int signum(int a) {
        return a < 0 ? -1 : a == 0 ? 0 : 1;
    }

    public String toString() {
        return toString(value);
    }

    public static String toString(int number) {
        return Long.toString(number);
    }

    public static String toHexString(int number) {
        int digits = 1;
        while (digits < 8 && number >>> 4 * digits != 0) {
            digits++;
        }
        String made = String.allocate(digits);
        for (int i = 0; i < digits; i++) {
            int digit = number >>> 4 * (digits - 1 - i) & 15;
            made.put(i, (char) (digit < 10 ? 48 + digit : 87 + digit));
        }
        made.freeze();
        return made;
    }

    public static int parseInt(String text) {
        if (text == null) {
            throw new NumberFormatException("Cannot parse null string");
        }
        long number = 0;
        int start = text.length() > 1 && (text.at(0) == 45 || text.at(0) == 43) ? 1 : 0;
        boolean right = text.length() > 0;
        for (int i = start; right && i < text.length(); i++) {
            int digit = text.at(i) - 48;
            right = digit >= 0 && digit <= 9;
            number = number * 10 + digit;
            right = right && number <= 2147483648L;
        }
        if (start == 1 && text.at(0) == 45) {
            number = -number;
        }
        if (!right || number > 2147483647L) {
            throw new NumberFormatException("For input string: \"" + text + "\"");
        }
        return (int) number;
    }

    public static Integer valueOf(String text) {
        return valueOf(parseInt(text));
    }

    public static int bitCount(int number) {
        int count = 0;
        while (number != 0) {
            number &= number - 1;
            count++;
        }
        return count;
    }
}
