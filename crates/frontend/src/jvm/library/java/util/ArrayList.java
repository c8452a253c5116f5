package java.util;

/** Reads and writes its fields in the order of the JDK's, so that threads that race see the same of it. */
public class ArrayList<E> extends AbstractList<E> implements List<E>, RandomAccess, Cloneable, java.io.Serializable {
    /** Of a list that was made without a capacity and has had no element yet. */
    private static final Object[] UNSIZED = {};

    private Object[] elements;
    private int size;

    public ArrayList() {
        elements = UNSIZED;
    }

    public ArrayList(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("Illegal Capacity: " + capacity);
        }
        elements = new Object[capacity];
    }

    public ArrayList(Collection<? extends E> other) {
        elements = new Object[other.size()];
        for (E element : other) {
            elements[size++] = element;
        }
    }

    public int size() {
        return size;
    }

    private void check(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("Index " + index + " out of bounds for length " + size);
        }
    }

    @SuppressWarnings("unchecked")
    public E get(int index) {
        check(index);
        return (E) elements[index];
    }

    @SuppressWarnings("unchecked")
    public E set(int index, E element) {
        check(index);
        E old = (E) elements[index];
        elements[index] = element;
        return old;
    }

    /** Makes room for one more element; gives the new array. */
    private Object[] grow() {
        int wanted = size + 1;
        int length = elements.length;
        if (length == 0 && elements == UNSIZED) {
            return elements = new Object[wanted > 10 ? wanted : 10];
        }
        int more = wanted - length;
        Object[] old = elements;
        Object[] larger = new Object[length + (more > length >> 1 ? more : length >> 1)];
        System.arraycopy(old, 0, larger, 0, old.length < larger.length ? old.length : larger.length);
        return elements = larger;
    }

    private void addAt(E element, Object[] array, int at) {
        if (at == array.length) {
            array = grow();
        }
        array[at] = element;
        size = at + 1;
    }

    public boolean add(E element) {
        modCount++;
        addAt(element, elements, size);
        return true;
    }

    public void add(int index, E element) {
        if (index > size || index < 0) {
            throw new IndexOutOfBoundsException("Index: " + index + ", Size: " + size);
        }
        modCount++;
        int count = size;
        Object[] array = elements;
        if (count == array.length) {
            array = grow();
        }
        System.arraycopy(array, index, array, index + 1, count - index);
        array[index] = element;
        size = count + 1;
    }

    private void removeAt(Object[] array, int index) {
        modCount++;
        int left = size - 1;
        if (left > index) {
            System.arraycopy(array, index + 1, array, index, left - index);
        }
        size = left;
        array[left] = null;
    }

    @SuppressWarnings("unchecked")
    public E remove(int index) {
        check(index);
        Object[] array = elements;
        E old = (E) array[index];
        removeAt(array, index);
        return old;
    }

    public boolean remove(Object element) {
        Object[] array = elements;
        int count = size;
        for (int i = 0; i < count; i++) {
            if (element == null ? array[i] == null : element.equals(array[i])) {
                removeAt(array, i);
                return true;
            }
        }
        return false;
    }

    public int indexOf(Object element) {
        int count = size;
        Object[] array = elements;
        for (int i = 0; i < count; i++) {
            if (element == null ? array[i] == null : element.equals(array[i])) {
                return i;
            }
        }
        return -1;
    }

    public boolean contains(Object element) {
        return indexOf(element) >= 0;
    }

    public void clear() {
        modCount++;
        Object[] array = elements;
        int count = size;
        size = 0;
        for (int i = 0; i < count; i++) {
            array[i] = null;
        }
    }

    public boolean equals(Object other) {
        if (other == this) {
            return true;
        }
        if (!(other instanceof List)) {
            return false;
        }
        int expected = modCount;
        Iterator<?> others = ((List<?>) other).iterator();
        int count = size;
        boolean same = true;
        for (int i = 0; same && i < count; i++) {
            same = others.hasNext() && Objects.equals(elements[i], others.next());
        }
        same = same && !others.hasNext();
        if (modCount != expected) {
            throw new ConcurrentModificationException();
        }
        return same;
    }

    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < size; i++) {
            hash = 31 * hash + (elements[i] == null ? 0 : elements[i].hashCode());
        }
        return hash;
    }

    public Iterator<E> iterator() {
        return new Walk();
    }

    private class Walk implements Iterator<E> {
        private int next;
        private int last = -1;
        private int expected = modCount;

        public boolean hasNext() {
            return next != size;
        }

        @SuppressWarnings("unchecked")
        public E next() {
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            int at = next;
            if (at >= size) {
                throw new NoSuchElementException();
            }
            Object[] array = elements;
            if (at >= array.length) {
                throw new ConcurrentModificationException();
            }
            next = at + 1;
            last = at;
            return (E) array[at];
        }

        public void remove() {
            if (last < 0) {
                throw new IllegalStateException();
            }
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            try {
                ArrayList.this.remove(last);
                next = last;
                last = -1;
                expected = modCount;
            } catch (IndexOutOfBoundsException gone) {
                throw new ConcurrentModificationException();
            }
        }
    }
}
