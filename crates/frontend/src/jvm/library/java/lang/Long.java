package java.lang;

public final class Long extends Number implements Comparable<Long>, java.lang.constant.Constable, java.lang.constant.ConstantDesc {
    public static final long MIN_VALUE = 0x8000000000000000L;
    public static final long MAX_VALUE = 0x7fffffffffffffffL;

    private final long value;

    public Long(long value) {
        this.value = value;
    }

    /** The one object for a value from -128 to 127. */
    private static native Long cached(int value);

    public static Long valueOf(long value) {
        return value >= -128 && value <= 127 ? cached((int) value) : new Long(value);
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
        return other instanceof Long && ((Long) other).value == value;
    }

    public int hashCode() {
        return hashCode(value);
    }

    public static int hashCode(long value) {
        return (int) (value ^ value >>> 32);
    }

    public int compareTo(Long other) {
        return compare(value, other.value);
    }

    public static int compare(long a, long b) {
        return a < b ? -1 : a == b ? 0 : 1;
    }

    public static long max(long a, long b) {
        return a >= b ? a : b;
    }

    public static long min(long a, long b) {
        return a <= b ? a : b;
    }

    public static long sum(long a, long b) {
        return a + b;
    }

    public static int signum(long a) {
        return a < 0 ? -1 : a == 0 ? 0 : 1;
    }

    public String toString() {
        return toString(value);
    }

    public static String toString(long number) {
        int length = number < 0 ? 2 : 1;
        for (long rest = number / 10; rest != 0; rest /= 10) {
            length++;
        }
        String made = String.allocate(length);
        int at = length;
        long rest = number;
        do {
            int digit = (int) (rest % 10);
            made.put(--at, (char) (48 + (digit < 0 ? -digit : digit)));
            rest /= 10;
        } while (rest != 0);
        if (number < 0) {
            made.put(0, (char) 45);
        }
        made.freeze();
        return made;
    }
}
