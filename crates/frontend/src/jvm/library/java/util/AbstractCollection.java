package java.util;

public abstract class AbstractCollection<E> implements Collection<E> {
    protected AbstractCollection() {}

    public abstract Iterator<E> iterator();

    public abstract int size();

    public boolean isEmpty() {
        return size() == 0;
    }

    public boolean contains(Object element) {
        for (E found : this) {
            if (element == null ? found == null : element.equals(found)) {
                return true;
            }
        }
        return false;
    }

    public boolean add(E element) {
        throw new UnsupportedOperationException();
    }

    public boolean remove(Object element) {
        Iterator<E> iterator = iterator();
        while (iterator.hasNext()) {
            E found = iterator.next();
            if (element == null ? found == null : element.equals(found)) {
                iterator.remove();
                return true;
            }
        }
        return false;
    }

    public boolean addAll(Collection<? extends E> elements) {
        boolean changed = false;
        for (E element : elements == this ? new ArrayList<E>(elements) : elements) {
            changed |= add(element);
        }
        return changed;
    }

    public void clear() {
        Iterator<E> iterator = iterator();
        while (iterator.hasNext()) {
            iterator.next();
            iterator.remove();
        }
    }

    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append('[');
        boolean first = true;
        for (E element : this) {
            if (!first) {
                text.append(", ");
            }
            first = false;
            if (element == this) {
                text.append("(this Collection)");
            } else {
                text.append(element);
            }
        }
        return text.append(']').toString();
    }
}
