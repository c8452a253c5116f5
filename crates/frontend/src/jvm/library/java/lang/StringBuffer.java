package java.lang;

public final class StringBuffer implements java.io.Serializable, Comparable<StringBuffer>, CharSequence {
    private char[] value;
    private int count;

    public StringBuffer() {
        value = new char[16];
    }

    public StringBuffer(int capacity) {
        value = new char[capacity];
    }

    public StringBuffer(String text) {
        value = new char[text.length() + 16];
        append(text);
    }

    public synchronized int length() {
        return count;
    }

    public synchronized char charAt(int index) {
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

    public synchronized StringBuffer append(String text) {
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

    /**
     * As the JDK does since version 9: asks the other for its length, and then copies what it has, without its monitor. It may
     * have changed in between.
     */
    public synchronized StringBuffer append(StringBuffer other) {
        if (other == null) {
            return append("null");
        }
        int length = other.length();
        grow(count + length);
        other.copyTo(value, count);
        count += length;
        return this;
    }

    void copyTo(char[] target, int at) {
        System.arraycopy(value, 0, target, at, count);
    }

    public synchronized StringBuffer append(Object object) {
        return append(String.valueOf(object));
    }

    public synchronized StringBuffer append(CharSequence text) {
        return append(String.valueOf(text));
    }

    public synchronized StringBuffer append(char c) {
        grow(count + 1);
        value[count++] = c;
        return this;
    }

    public synchronized StringBuffer append(boolean b) {
        return append(String.valueOf(b));
    }

    public synchronized StringBuffer append(int number) {
        return append(String.valueOf(number));
    }

    public synchronized StringBuffer append(long number) {
        return append(String.valueOf(number));
    }

    public synchronized StringBuffer append(float number) {
        return append(String.valueOf(number));
    }

    public synchronized StringBuffer append(double number) {
        return append(String.valueOf(number));
    }

    public synchronized StringBuffer append(char[] chars) {
        return append(String.valueOf(chars));
    }

    public synchronized void getChars(int from, int to, char[] target, int at) {
        if (from < 0 || to < 0 || to > count) {
            throw new StringIndexOutOfBoundsException("begin " + from + ", end " + to + ", length " + count);
        }
        if (from > to) {
            throw new StringIndexOutOfBoundsException("srcBegin > srcEnd");
        }
        System.arraycopy(value, from, target, at, to - from);
    }

    public synchronized void setLength(int length) {
        if (length < 0) {
            throw new StringIndexOutOfBoundsException(length);
        }
        grow(length);
        for (int i = count; i < length; i++) {
            value[i] = '\0';
        }
        count = length;
    }

    public synchronized void setCharAt(int index, char c) {
        if (index < 0 || index >= count) {
            throw new StringIndexOutOfBoundsException("index " + index + ",length " + count);
        }
        value[index] = c;
    }

    public synchronized StringBuffer delete(int from, int to) {
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

    public synchronized StringBuffer deleteCharAt(int index) {
        if (index < 0 || index >= count) {
            throw new StringIndexOutOfBoundsException("index " + index + ",length " + count);
        }
        return delete(index, index + 1);
    }

    public synchronized StringBuffer insert(int at, String text) {
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

    public synchronized StringBuffer reverse() {
        for (int i = 0, j = count - 1; i < j; i++, j--) {
            char c = value[i];
            value[i] = value[j];
            value[j] = c;
        }
        return this;
    }

    public synchronized CharSequence subSequence(int from, int to) {
        return substring(from, to);
    }

    public synchronized String substring(int from) {
        return substring(from, count);
    }

    public synchronized String substring(int from, int to) {
        if (from < 0 || to > count || from > to) {
            throw new StringIndexOutOfBoundsException("start " + from + ", end " + to + ", length " + count);
        }
        return String.of(value, from, to - from);
    }

    public synchronized String toString() {
        return String.of(value, 0, count);
    }

    public synchronized int compareTo(StringBuffer other) {
        return this == other ? 0 : toString().compareTo(other.toString());
    }
}
