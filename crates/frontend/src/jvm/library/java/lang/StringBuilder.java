package java.lang;

public final class StringBuilder implements java.io.Serializable, Comparable<StringBuilder>, CharSequence {
    private char[] value;
    private int count;

    public StringBuilder() {
        value = new char[16];
    }

    public StringBuilder(int capacity) {
        value = new char[capacity];
    }

    public StringBuilder(String text) {
        value = new char[text.length() + 16];
        append(text);
    }

    public int length() {
        return count;
    }

    public char charAt(int index) {
        if (index < 0 || index >= count) {
            throw new StringIndexOutOfBoundsException("index " + index + ",length " + count);
        }
        return value[index];
    }

    private void grow(int wanted) {
        if (wanted > value.length) {
            int size = value.length * 2 + 2;
            char[] larger = new char[size < wanted ? wanted : size];
            for (int i = 0; i < count; i++) {
                larger[i] = value[i];
            }
            value = larger;
        }
    }

    public StringBuilder append(String text) {
        if (text == null) {
            text = "null";
        }
        int length = text.length();
        grow(count + length);
        for (int i = 0; i < length; i++) {
            value[count + i] = text.at(i);
        }
        count += length;
        return this;
    }

    /** Asks the other for its length, and then for its characters: it may have changed in between. */
    public StringBuilder append(StringBuffer other) {
        if (other == null) {
            return append("null");
        }
        int length = other.length();
        grow(count + length);
        other.getChars(0, length, value, count);
        count += length;
        return this;
    }

    public StringBuilder append(Object object) {
        return append(String.valueOf(object));
    }

    public StringBuilder append(CharSequence text) {
        return append(String.valueOf(text));
    }

    public StringBuilder append(char c) {
        grow(count + 1);
        value[count++] = c;
        return this;
    }

    public StringBuilder append(boolean b) {
        return append(String.valueOf(b));
    }

    public StringBuilder append(int number) {
        return append(String.valueOf(number));
    }

    public StringBuilder append(long number) {
        return append(String.valueOf(number));
    }

    public StringBuilder append(double number) {
        return append(String.valueOf(number));
    }

    public StringBuilder append(float number) {
        return append(String.valueOf(number));
    }

    public StringBuilder append(CharSequence text, int from, int to) {
        return append(String.valueOf(text).substring(from, to));
    }

    public StringBuilder append(char[] chars, int from, int count) {
        return append(String.of(chars, from, count));
    }

    public StringBuilder append(char[] chars) {
        return append(String.valueOf(chars));
    }

    public void getChars(int from, int to, char[] target, int at) {
        if (from < 0 || to < 0 || to > count) {
            throw new StringIndexOutOfBoundsException("begin " + from + ", end " + to + ", length " + count);
        }
        if (from > to) {
            throw new StringIndexOutOfBoundsException("srcBegin > srcEnd");
        }
        System.arraycopy(value, from, target, at, to - from);
    }

    public void setLength(int length) {
        if (length < 0) {
            throw new StringIndexOutOfBoundsException(length);
        }
        grow(length);
        for (int i = count; i < length; i++) {
            value[i] = '\0';
        }
        count = length;
    }

    public void setCharAt(int index, char c) {
        if (index < 0 || index >= count) {
            throw new StringIndexOutOfBoundsException("index " + index + ",length " + count);
        }
        value[index] = c;
    }

    public StringBuilder delete(int from, int to) {
        if (to > count) {
            to = count;
        }
        if (from < 0 || from > to) {
            throw new StringIndexOutOfBoundsException("start " + from + ", end " + to + ", length " + count);
        }
        for (int i = to; i < count; i++) {
            value[from + i - to] = value[i];
        }
        count -= to - from;
        return this;
    }

    public StringBuilder deleteCharAt(int index) {
        if (index < 0 || index >= count) {
            throw new StringIndexOutOfBoundsException("index " + index + ",length " + count);
        }
        return delete(index, index + 1);
    }

    public StringBuilder insert(int at, String text) {
        if (at < 0 || at > count) {
            throw new StringIndexOutOfBoundsException("offset " + at + ", length " + count);
        }
        if (text == null) {
            text = "null";
        }
        int length = text.length();
        grow(count + length);
        for (int i = count - 1; i >= at; i--) {
            value[i + length] = value[i];
        }
        for (int i = 0; i < length; i++) {
            value[at + i] = text.at(i);
        }
        count += length;
        return this;
    }

    public StringBuilder insert(int at, char c) {
        return insert(at, String.valueOf(c));
    }

    public StringBuilder insert(int at, int number) {
        return insert(at, String.valueOf(number));
    }

    public StringBuilder insert(int at, Object object) {
        return insert(at, String.valueOf(object));
    }

    public int indexOf(String part) {
        return toString().indexOf(part);
    }

    public int lastIndexOf(String part) {
        return toString().lastIndexOf(part);
    }

    public StringBuilder replace(int from, int to, String text) {
        delete(from, to);
        return insert(from, text);
    }

    public StringBuilder reverse() {
        for (int i = 0, j = count - 1; i < j; i++, j--) {
            char c = value[i];
            value[i] = value[j];
            value[j] = c;
        }
        return this;
    }

    public CharSequence subSequence(int from, int to) {
        return substring(from, to);
    }

    public String substring(int from) {
        return substring(from, count);
    }

    public String substring(int from, int to) {
        if (from < 0 || to > count || from > to) {
            throw new StringIndexOutOfBoundsException("start " + from + ", end " + to + ", length " + count);
        }
        return String.of(value, from, to - from);
    }

    public String toString() {
        return String.of(value, 0, count);
    }

    public int compareTo(StringBuilder other) {
        return this == other ? 0 : toString().compareTo(other.toString());
    }
}
