package java.lang;

public abstract class Enum<E extends Enum<E>> implements java.lang.constant.Constable, Comparable<E>, java.io.Serializable {
    private final String name;
    private final int ordinal;

    protected Enum(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    /** Written in place of its calls. */
    public static native <T extends Enum<T>> T valueOf(Class<T> type, String name);

    public final String name() {
        return name;
    }

    public final int ordinal() {
        return ordinal;
    }

    /** The enum itself also of a constant with a body. */
    @SuppressWarnings("unchecked")
    public final Class<E> getDeclaringClass() {
        return (Class<E>) palisade.Machine.enumOf(this);
    }

    public String toString() {
        return name;
    }

    public final int compareTo(E other) {
        return ordinal - ((Enum<?>) other).ordinal;
    }
}
