package java.lang;

public final class Character implements java.io.Serializable, Comparable<Character>, java.lang.constant.Constable {
    private final char value;

    public Character(char value) {
        this.value = value;
    }

    /** The one object for a value up to 127. */
    private static native Character cached(int value);

    public static Character valueOf(char value) {
        return value <= 127 ? cached(value) : new Character(value);
    }

    public char charValue() {
        return value;
    }

    public boolean equals(Object other) {
        return other instanceof Character && ((Character) other).value == value;
    }

    public int hashCode() {
        return value;
    }

    public int compareTo(Character other) {
        return value - other.value;
    }

    public String toString() {
        return String.valueOf(value);
    }
}
