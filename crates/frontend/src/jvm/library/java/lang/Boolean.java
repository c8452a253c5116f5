package java.lang;

public final class Boolean implements java.io.Serializable, Comparable<Boolean>, java.lang.constant.Constable {
    public static final Boolean TRUE = new Boolean(true);
    public static final Boolean FALSE = new Boolean(false);

    private final boolean value;

    public Boolean(boolean value) {
        this.value = value;
    }

    public static Boolean valueOf(boolean value) {
        return value ? TRUE : FALSE;
    }

    public boolean booleanValue() {
        return value;
    }

    public boolean equals(Object other) {
        return other instanceof Boolean && ((Boolean) other).value == value;
    }

    public int hashCode() {
        return value ? 1231 : 1237;
    }

    public int compareTo(Boolean other) {
        return value == other.value ? 0 : value ? 1 : -1;
    }

    public static String toString(boolean value) {
        return value ? "true" : "false";
    }

    public String toString() {
        return toString(value);
    }
}
