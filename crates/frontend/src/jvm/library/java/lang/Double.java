package java.lang;

public final class Double extends Number implements Comparable<Double>, java.lang.constant.Constable, java.lang.constant.ConstantDesc {
    private final double value;

    public Double(double value) {
        this.value = value;
    }

    public static Double valueOf(double value) {
        return new Double(value);
    }

    public int intValue() {
        return (int) value;
    }

    public long longValue() {
        return (long) value;
    }

    public float floatValue() {
        return (float) value;
    }

    public double doubleValue() {
        return value;
    }

    public static boolean isNaN(double value) {
        return value != value;
    }

    public static int compare(double a, double b) {
        if (a < b) {
            return -1;
        }
        if (a > b) {
            return 1;
        }
        return Long.compare(doubleToLongBits(a), doubleToLongBits(b));
    }

    public static native long doubleToRawLongBits(double value);

    public static long doubleToLongBits(double value) {
        return value != value ? 0x7ff8000000000000L : doubleToRawLongBits(value);
    }

    public static native double longBitsToDouble(long bits);

    public boolean equals(Object other) {
        return other instanceof Double && doubleToLongBits(((Double) other).value) == doubleToLongBits(value);
    }

    public int hashCode() {
        return Long.hashCode(doubleToLongBits(value));
    }

    public int compareTo(Double other) {
        return compare(value, other.value);
    }
}
