package java.util;

public abstract class AbstractList<E> extends AbstractCollection<E> implements List<E> {
    /** How often elements were added or removed: iterators notice. */
    protected transient int modCount;

    protected AbstractList() {}
}
