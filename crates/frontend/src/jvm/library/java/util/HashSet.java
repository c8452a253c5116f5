package java.util;

public class HashSet<E> extends AbstractSet<E> implements Set<E>, Cloneable, java.io.Serializable {
    private final HashMap<E, Boolean> map;

    public HashSet() {
        map = new HashMap<E, Boolean>();
    }

    public Iterator<E> iterator() {
        return map.keySet().iterator();
    }

    public int size() {
        return map.size();
    }

    public boolean contains(Object element) {
        return map.containsKey(element);
    }

    public boolean add(E element) {
        return map.put(element, Boolean.TRUE) == null;
    }

    public boolean remove(Object element) {
        return map.remove(element) != null;
    }

    public void clear() {
        map.clear();
    }
}
