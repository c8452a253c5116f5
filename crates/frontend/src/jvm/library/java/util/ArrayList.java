package java.util;

public class ArrayList<E> extends AbstractCollection<E> implements List<E> {
    private Object[] elements;
    private int size;
    /** How often elements were added or removed: iterators notice. */
    protected int modCount;

    public ArrayList() {
        elements = new Object[10];
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

    private void grow() {
        if (size == elements.length) {
            Object[] larger = new Object[size + (size >> 1) + 1];
            for (int i = 0; i < size; i++) {
                larger[i] = elements[i];
            }
            elements = larger;
        }
    }

    public boolean add(E element) {
        modCount++;
        grow();
        elements[size] = element;
        size++;
        return true;
    }

    public void add(int index, E element) {
        if (index < 0 || index > size) {
            throw new IndexOutOfBoundsException("Index: " + index + ", Size: " + size);
        }
        modCount++;
        grow();
        for (int i = size; i > index; i--) {
            elements[i] = elements[i - 1];
        }
        elements[index] = element;
        size++;
    }

    @SuppressWarnings("unchecked")
    public E remove(int index) {
        check(index);
        E old = (E) elements[index];
        modCount++;
        for (int i = index; i + 1 < size; i++) {
            elements[i] = elements[i + 1];
        }
        size--;
        elements[size] = null;
        return old;
    }

    public boolean remove(Object element) {
        int index = indexOf(element);
        if (index < 0) {
            return false;
        }
        remove(index);
        return true;
    }

    public int indexOf(Object element) {
        for (int i = 0; i < size; i++) {
            if (element == null ? elements[i] == null : element.equals(elements[i])) {
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
        for (int i = 0; i < size; i++) {
            elements[i] = null;
        }
        size = 0;
    }

    public boolean equals(Object other) {
        if (!(other instanceof ArrayList)) {
            return false;
        }
        ArrayList<?> that = (ArrayList<?>) other;
        if (size != that.size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            Object element = elements[i];
            if (element == null ? that.elements[i] != null : !element.equals(that.elements[i])) {
                return false;
            }
        }
        return true;
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
            if (next >= size) {
                throw new NoSuchElementException();
            }
            if (next >= elements.length) {
                throw new ConcurrentModificationException();
            }
            last = next;
            next++;
            return (E) elements[last];
        }

        public void remove() {
            if (last < 0) {
                throw new IllegalStateException();
            }
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            ArrayList.this.remove(last);
            next = last;
            last = -1;
            expected = modCount;
        }
    }
}
