package java.util;

/** Buckets of lists, in the order of the JDK's. */
public class HashMap<K, V> extends AbstractMap<K, V> implements Map<K, V>, Cloneable, java.io.Serializable {
    static class Node<K, V> implements Map.Entry<K, V> {
        final int hash;
        final K key;
        V value;
        Node<K, V> next;

        Node(int hash, K key, V value) {
            this.hash = hash;
            this.key = key;
            this.value = value;
        }

        public K getKey() {
            return key;
        }

        public V getValue() {
            return value;
        }

        public V setValue(V value) {
            V old = this.value;
            this.value = value;
            return old;
        }

        public boolean equals(Object other) {
            if (!(other instanceof Map.Entry)) {
                return false;
            }
            Map.Entry<?, ?> that = (Map.Entry<?, ?>) other;
            return Objects.equals(key, that.getKey()) && Objects.equals(value, that.getValue());
        }

        public int hashCode() {
            return Objects.hashCode(key) ^ Objects.hashCode(value);
        }

        public String toString() {
            return key + "=" + value;
        }
    }

    private Node<K, V>[] table;
    private int size;
    private int modCount;

    /** The length of the first table. */
    private int first = 16;

    public HashMap() {}

    public HashMap(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("Illegal initial capacity: " + capacity);
        }
        first = 1;
        while (first < capacity) {
            first *= 2;
        }
    }

    private static int hash(Object key) {
        int hash = key == null ? 0 : key.hashCode();
        return hash ^ hash >>> 16;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    private Node<K, V> find(Object key) {
        if (table == null) {
            return null;
        }
        int hash = hash(key);
        Node<K, V> node = table[hash & table.length - 1];
        while (node != null) {
            if (node.hash == hash && (node.key == key || key != null && key.equals(node.key))) {
                return node;
            }
            node = node.next;
        }
        return null;
    }

    public V get(Object key) {
        Node<K, V> node = find(key);
        return node == null ? null : node.value;
    }

    public boolean containsKey(Object key) {
        return find(key) != null;
    }

    public boolean containsValue(Object value) {
        for (V found : values()) {
            if (value == null ? found == null : value.equals(found)) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("unchecked")
    private void grow() {
        Node<K, V>[] old = table;
        table = (Node<K, V>[]) new Node[old == null ? first : 2 * old.length];
        if (old == null) {
            return;
        }
        for (int i = 0; i < old.length; i++) {
            Node<K, V> node = old[i];
            while (node != null) {
                Node<K, V> next = node.next;
                node.next = null;
                append(node);
                node = next;
            }
        }
    }

    private void append(Node<K, V> node) {
        int bucket = node.hash & table.length - 1;
        if (table[bucket] == null) {
            table[bucket] = node;
            return;
        }
        Node<K, V> last = table[bucket];
        while (last.next != null) {
            last = last.next;
        }
        last.next = node;
    }

    public V put(K key, V value) {
        if (table == null) {
            grow();
        }
        Node<K, V> node = find(key);
        if (node != null) {
            return node.setValue(value);
        }
        append(new Node<K, V>(hash(key), key, value));
        modCount++;
        size++;
        if (size > (int) (table.length * 0.75f)) {
            grow();
        }
        return null;
    }

    public V remove(Object key) {
        Node<K, V> node = find(key);
        if (node == null) {
            return null;
        }
        drop(node);
        return node.value;
    }

    private void drop(Node<K, V> node) {
        int bucket = node.hash & table.length - 1;
        if (table[bucket] == node) {
            table[bucket] = node.next;
        } else {
            Node<K, V> before = table[bucket];
            while (before.next != node) {
                before = before.next;
            }
            before.next = node.next;
        }
        modCount++;
        size--;
    }

    public void clear() {
        modCount++;
        if (table != null) {
            for (int i = 0; i < table.length; i++) {
                table[i] = null;
            }
        }
        size = 0;
    }

    public Set<K> keySet() {
        return new Keys();
    }

    public Collection<V> values() {
        return new Values();
    }

    public Set<Map.Entry<K, V>> entrySet() {
        return new Entries();
    }

    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append('{');
        boolean first = true;
        for (Map.Entry<K, V> entry : entrySet()) {
            if (!first) {
                text.append(", ");
            }
            first = false;
            text.append(entry.getKey()).append('=').append(entry.getValue());
        }
        return text.append('}').toString();
    }

    private class Walk {
        private int bucket = -1;
        private Node<K, V> next;
        private Node<K, V> last;
        private int expected = modCount;

        Walk() {
            seek();
        }

        private void seek() {
            while (next == null && table != null && ++bucket < table.length) {
                next = table[bucket];
            }
        }

        public boolean hasNext() {
            return next != null;
        }

        Node<K, V> step() {
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            if (next == null) {
                throw new NoSuchElementException();
            }
            last = next;
            next = last.next;
            seek();
            return last;
        }

        public void remove() {
            if (last == null) {
                throw new IllegalStateException();
            }
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            drop(last);
            last = null;
            expected = modCount;
        }
    }

    private class KeyWalk extends Walk implements Iterator<K> {
        public K next() {
            return step().key;
        }
    }

    private class ValueWalk extends Walk implements Iterator<V> {
        public V next() {
            return step().value;
        }
    }

    private class EntryWalk extends Walk implements Iterator<Map.Entry<K, V>> {
        public Map.Entry<K, V> next() {
            return step();
        }
    }

    private class Keys extends AbstractCollection<K> implements Set<K> {
        public Iterator<K> iterator() {
            return new KeyWalk();
        }

        public int size() {
            return size;
        }

        public boolean contains(Object key) {
            return containsKey(key);
        }
    }

    private class Values extends AbstractCollection<V> {
        public Iterator<V> iterator() {
            return new ValueWalk();
        }

        public int size() {
            return size;
        }
    }

    private class Entries extends AbstractCollection<Map.Entry<K, V>> implements Set<Map.Entry<K, V>> {
        public Iterator<Map.Entry<K, V>> iterator() {
            return new EntryWalk();
        }

        public int size() {
            return size;
        }
    }
}
