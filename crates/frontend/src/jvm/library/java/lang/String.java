package java.lang;

/** A string is an array of characters that never change; see the front end's notes on arrays. */
public final class String implements java.io.Serializable, Comparable<String>, CharSequence, java.lang.constant.Constable, java.lang.constant.ConstantDesc {
    private String() {}

    public native int length();

    /** The character at an index that is in range. */
    native char at(int index);

    /** A new string of this length. */
    static native String allocate(int length);

    /** Sets a character of a new string. */
    native void put(int index, char c);

    /** Ends the making of a string. */
    native void freeze();

    public char charAt(int index) {
        if (index < 0 || index >= length()) {
            throw new StringIndexOutOfBoundsException("String index out of range: " + index);
        }
        return at(index);
    }

    static String of(char[] chars, int from, int count) {
        String made = allocate(count);
        for (int i = 0; i < count; i++) {
            made.put(i, chars[from + i]);
        }
        made.freeze();
        return made;
    }

    public String trim() {
        int from = 0;
        int to = length();
        while (from < to && at(from) <= ' ') {
            from++;
        }
        while (to > from && at(to - 1) <= ' ') {
            to--;
        }
        return from == 0 && to == length() ? this : substring(from, to);
    }

    public boolean isEmpty() {
        return length() == 0;
    }

    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (!(other instanceof String)) {
            return false;
        }
        String that = (String) other;
        if (length() != that.length()) {
            return false;
        }
        for (int i = 0; i < length(); i++) {
            if (at(i) != that.at(i)) {
                return false;
            }
        }
        return true;
    }

    public int hashCode() {
        int hash = 0;
        for (int i = 0; i < length(); i++) {
            hash = 31 * hash + at(i);
        }
        return hash;
    }

    public int compareTo(String other) {
        int shorter = Math.min(length(), other.length());
        for (int i = 0; i < shorter; i++) {
            if (at(i) != other.at(i)) {
                return at(i) - other.at(i);
            }
        }
        return length() - other.length();
    }

    public String toString() {
        return this;
    }

    public String concat(String other) {
        if (other.length() == 0) {
            return this;
        }
        String made = allocate(length() + other.length());
        for (int i = 0; i < length(); i++) {
            made.put(i, at(i));
        }
        for (int i = 0; i < other.length(); i++) {
            made.put(length() + i, other.at(i));
        }
        made.freeze();
        return made;
    }

    public String substring(int from) {
        return substring(from, length());
    }

    public String substring(int from, int to) {
        if (from < 0 || to > length() || from > to) {
            throw new StringIndexOutOfBoundsException("begin " + from + ", end " + to + ", length " + length());
        }
        if (from == 0 && to == length()) {
            return this;
        }
        String made = allocate(to - from);
        for (int i = from; i < to; i++) {
            made.put(i - from, at(i));
        }
        made.freeze();
        return made;
    }

    public CharSequence subSequence(int from, int to) {
        return substring(from, to);
    }

    public int indexOf(int c) {
        for (int i = 0; i < length(); i++) {
            if (at(i) == c) {
                return i;
            }
        }
        return -1;
    }

    public int indexOf(String part) {
        for (int i = 0; i + part.length() <= length(); i++) {
            if (startsWith(part, i)) {
                return i;
            }
        }
        return -1;
    }

    public int lastIndexOf(String part) {
        for (int i = length() - part.length(); i >= 0; i--) {
            if (startsWith(part, i)) {
                return i;
            }
        }
        return -1;
    }

    public String replace(char old, char c) {
        String made = allocate(length());
        for (int i = 0; i < length(); i++) {
            made.put(i, at(i) == old ? c : at(i));
        }
        made.freeze();
        return made;
    }

    public boolean contains(CharSequence part) {
        return indexOf(part.toString()) >= 0;
    }

    public boolean startsWith(String part) {
        return startsWith(part, 0);
    }

    public boolean startsWith(String part, int from) {
        if (from < 0 || from + part.length() > length()) {
            return false;
        }
        for (int i = 0; i < part.length(); i++) {
            if (at(from + i) != part.at(i)) {
                return false;
            }
        }
        return true;
    }

    public boolean endsWith(String part) {
        return startsWith(part, length() - part.length());
    }

    public char[] toCharArray() {
        char[] chars = new char[length()];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = at(i);
        }
        return chars;
    }

    public static String valueOf(Object object) {
        return object == null ? "null" : object.toString();
    }

    public static String valueOf(char[] chars) {
        return of(chars, 0, chars.length);
    }

    public static String valueOf(boolean b) {
        return b ? "true" : "false";
    }

    public static String valueOf(char c) {
        String made = allocate(1);
        made.put(0, c);
        made.freeze();
        return made;
    }

    public static String valueOf(int number) {
        return Long.toString(number);
    }

    public static String valueOf(long number) {
        return Long.toString(number);
    }

    public static String valueOf(float number) {
        if ((int) number != number) {
            palisade.Machine.refuse("a `float` as text");
        }
        return Double.toString(number);
    }

    public static String valueOf(double number) {
        return Double.toString(number);
    }

    public static String valueOf(char[] chars, int from, int count) {
        return of(chars, from, count);
    }

    public static String copyValueOf(char[] chars) {
        return valueOf(chars);
    }

    public int indexOf(int c, int from) {
        for (int i = Math.max(from, 0); i < length(); i++) {
            if (at(i) == c) {
                return i;
            }
        }
        return -1;
    }

    public int indexOf(String part, int from) {
        for (int i = Math.max(from, 0); i + part.length() <= length(); i++) {
            if (startsWith(part, i)) {
                return i;
            }
        }
        return -1;
    }

    public int lastIndexOf(int c) {
        for (int i = length() - 1; i >= 0; i--) {
            if (at(i) == c) {
                return i;
            }
        }
        return -1;
    }

    public String replace(CharSequence old, CharSequence replacement) {
        String part = old.toString();
        if (part.isEmpty()) {
            palisade.Machine.refuse("`String.replace` of nothing");
        }
        StringBuilder made = new StringBuilder();
        int at = 0;
        for (int found = indexOf(part); found >= 0; found = indexOf(part, at)) {
            made.append(substring(at, found)).append(replacement);
            at = found + part.length();
        }
        return made.append(substring(at)).toString();
    }

    public String[] split(String separator) {
        return split(separator, 0);
    }

    /** Only separators that stand for themselves as regular expressions, and {@code \\s+} between words. */
    public String[] split(String separator, int limit) {
        boolean isSpace = separator.equals("\\s+");
        for (int i = 0; i < separator.length() && !isSpace; i++) {
            if (".$|()[{^?*+\\".indexOf(separator.at(i)) >= 0) {
                palisade.Machine.refuse("this regular expression");
            }
        }
        if (separator.isEmpty() || limit != 0) {
            palisade.Machine.refuse("this way to split a string");
        }
        if (isEmpty()) {
            return new String[] {this};
        }
        int count = 0;
        String[] parts = new String[length() + 1];
        int from = 0;
        for (int at = 0; at < length(); ) {
            int ends = isSpace ? endOfSpace(at) : startsWith(separator, at) ? at + separator.length() : at;
            if (ends == at) {
                at++;
                continue;
            }
            parts[count++] = substring(from, at);
            from = ends;
            at = ends;
        }
        parts[count++] = substring(from);
        while (count > 0 && parts[count - 1].isEmpty()) {
            count--;
        }
        String[] found = new String[count];
        for (int i = 0; i < count; i++) {
            found[i] = parts[i];
        }
        return found;
    }

    private int endOfSpace(int from) {
        int at = from;
        while (at < length() && (at(at) == ' ' || at(at) >= 9 && at(at) <= 13)) {
            at++;
        }
        return at;
    }

    public int compareToIgnoreCase(String other) {
        return toLowerCase().compareTo(other.toLowerCase());
    }

    public static String join(CharSequence between, CharSequence... parts) {
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < parts.length; i++) {
            if (i > 0) {
                joined.append(between);
            }
            joined.append(parts[i]);
        }
        return joined.toString();
    }

    public static String join(CharSequence between, Iterable<? extends CharSequence> parts) {
        StringBuilder joined = new StringBuilder();
        boolean isFirst = true;
        for (CharSequence part : parts) {
            if (!isFirst) {
                joined.append(between);
            }
            joined.append(part);
            isFirst = false;
        }
        return joined.toString();
    }

    public String repeat(int times) {
        if (times < 0) {
            throw new IllegalArgumentException("count is negative: " + times);
        }
        StringBuilder repeated = new StringBuilder();
        for (int i = 0; i < times; i++) {
            repeated.append(this);
        }
        return repeated.toString();
    }

    public String formatted(Object... values) {
        return format(this, values);
    }

    /** Flags {@code -}, {@code 0} and {@code ,}, a width, a precision of {@code f}; anything else is refused. */
    public static String format(String format, Object... values) {
        StringBuilder text = new StringBuilder();
        int next = 0;
        int at = 0;
        while (at < format.length()) {
            char c = format.charAt(at++);
            if (c != '%') {
                text.append(c);
                continue;
            }
            boolean left = false;
            boolean zeros = false;
            int width = 0;
            int precision = -1;
            while (at < format.length() && (format.charAt(at) == '-' || format.charAt(at) == '0')) {
                left |= format.charAt(at) == '-';
                zeros |= format.charAt(at) == '0';
                at++;
            }
            while (at < format.length() && format.charAt(at) >= '0' && format.charAt(at) <= '9') {
                width = width * 10 + format.charAt(at++) - '0';
            }
            if (at < format.length() && format.charAt(at) == '.') {
                precision = 0;
                at++;
                while (at < format.length() && format.charAt(at) >= '0' && format.charAt(at) <= '9') {
                    precision = precision * 10 + format.charAt(at++) - '0';
                }
            }
            char kind = at < format.length() ? format.charAt(at++) : '?';
            if (kind == 'n' || kind == '%') {
                text.append(kind == 'n' ? '\n' : '%');
                continue;
            }
            if (next >= values.length || precision >= 0 && kind != 'f') {
                palisade.Machine.refuse("this format of a string");
            }
            String part = part(kind, precision, values[next++]);
            boolean isNegative = zeros && part.startsWith("-");
            if (isNegative) {
                text.append('-');
            }
            for (int i = part.length(); i < width && !left; i++) {
                text.append(zeros ? '0' : ' ');
            }
            text.append(isNegative ? part.substring(1) : part);
            for (int i = part.length(); i < width && left; i++) {
                text.append(' ');
            }
        }
        return text.toString();
    }

    /** One value as a format shows it. */
    private static String part(char kind, int precision, Object value) {
        switch (kind) {
            case 's':
            case 'c':
                return String.valueOf(value);
            case 'b':
                return value instanceof Boolean ? String.valueOf(value) : value == null ? "false" : "true";
            case 'd':
                if (value == null || value instanceof Integer || value instanceof Long) {
                    return String.valueOf(value);
                }
                break;
            case 'x':
                if (value instanceof Integer) {
                    return Integer.toHexString((Integer) value);
                }
                break;
            case 'f':
                if (value instanceof Double) {
                    return Double.rounded((Double) value, precision < 0 ? 6 : precision);
                }
                break;
            default:
                break;
        }
        palisade.Machine.refuse("this format of a string");
        return "";
    }

    public boolean isBlank() {
        return trim().isEmpty();
    }

    public String strip() {
        return trim();
    }

    public boolean equalsIgnoreCase(String other) {
        return other != null && toLowerCase().equals(other.toLowerCase());
    }

    public String toLowerCase() {
        StringBuilder lower = new StringBuilder();
        for (int i = 0; i < length(); i++) {
            char c = at(i);
            if (c >= 128) {
                palisade.Machine.refuse("the case of a letter that is not ASCII");
            }
            lower.append(c >= 'A' && c <= 'Z' ? (char) (c + 32) : c);
        }
        return lower.toString();
    }

    public String toUpperCase() {
        StringBuilder upper = new StringBuilder();
        for (int i = 0; i < length(); i++) {
            char c = at(i);
            if (c >= 128) {
                palisade.Machine.refuse("the case of a letter that is not ASCII");
            }
            upper.append(c >= 'a' && c <= 'z' ? (char) (c - 32) : c);
        }
        return upper.toString();
    }

    public String intern() {
        palisade.Machine.refuse("`String.intern`");
        return this;
    }
}
