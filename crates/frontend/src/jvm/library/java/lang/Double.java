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

    public static boolean isInfinite(double value) {
        return value == 1.0 / 0.0 || value == -1.0 / 0.0;
    }

    /** Only what is written without an exponent. */
    public static String toString(double value) {
        int places = places(value);
        String text = decimal(scaled(value, places), places);
        return value == 0 && 1 / value < 0 ? "-" + text : text;
    }

    /** The fewest decimal places that tell a number from all others. */
    private static int places(double value) {
        double size = value < 0 ? -value : value;
        if (size != 0 && !(size >= 0.001 && size < 10000000)) {
            palisade.Machine.refuse("a number with an exponent as text");
        }
        for (int places = 1; places <= 15; places++) {
            if (scaled(value, places) / power(places) == value) {
                return places;
            }
        }
        palisade.Machine.refuse("a number with so many places as text");
        return 0;
    }

    /** The nearest integer to so many decimal places of a number. */
    private static double scaled(double value, int places) {
        double scaled = value * power(places);
        return (double) (long) (scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    }

    private static double power(int exponent) {
        double power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /** An integer with a decimal point before its last digits. */
    private static String decimal(double scaled, int places) {
        long number = (long) scaled;
        String digits = Long.toString(number < 0 ? -number : number);
        StringBuilder text = new StringBuilder();
        for (int i = digits.length(); i <= places; i++) {
            text.append('0');
        }
        text.append(digits);
        if (places > 0) {
            text.insert(text.length() - places, ".");
        }
        return number < 0 ? "-" + text : text.toString();
    }

    /** With so many decimal places, halves away from zero. */
    static String rounded(double value, int places) {
        int own = places(value);
        long number = (long) scaled(value, own);
        boolean isNegative = number < 0 || value == 0 && 1 / value < 0;
        long size = number < 0 ? -number : number;
        for (; own < places; own++) {
            size *= 10;
        }
        if (own > places) {
            long unit = (long) power(own - places);
            size = (size + unit / 2) / unit;
        }
        return (isNegative ? "-" : "") + decimal(size, places);
    }

    public String toString() {
        return toString(value);
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
