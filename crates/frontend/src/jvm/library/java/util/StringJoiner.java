package java.util;

/** Texts with a delimiter between them. */
public final class StringJoiner {
    private final String prefix;
    private final String delimiter;
    private final String suffix;
    private StringBuilder joined;
    private String empty;

    public StringJoiner(CharSequence delimiter) {
        this(delimiter, "", "");
    }

    public StringJoiner(CharSequence delimiter, CharSequence prefix, CharSequence suffix) {
        this.delimiter = delimiter.toString();
        this.prefix = prefix.toString();
        this.suffix = suffix.toString();
    }

    public StringJoiner setEmptyValue(CharSequence empty) {
        this.empty = empty.toString();
        return this;
    }

    public StringJoiner add(CharSequence part) {
        if (joined == null) {
            joined = new StringBuilder();
        } else {
            joined.append(delimiter);
        }
        joined.append(String.valueOf(part));
        return this;
    }

    public StringJoiner merge(StringJoiner other) {
        return other.joined == null ? this : add(other.joined.toString());
    }

    public int length() {
        return toString().length();
    }

    public String toString() {
        if (joined == null) {
            return empty != null ? empty : prefix + suffix;
        }
        return prefix + joined.toString() + suffix;
    }
}
