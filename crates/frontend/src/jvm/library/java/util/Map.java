package java.util;

public interface Map<K, V> {
    int size();

    boolean isEmpty();

    boolean containsKey(Object key);

    boolean containsValue(Object value);

    V get(Object key);

    V put(K key, V value);

    V remove(Object key);

    void clear();

    Set<K> keySet();

    Collection<V> values();

    Set<Map.Entry<K, V>> entrySet();

    default V getOrDefault(Object key, V otherwise) {
        V found = get(key);
        return found != null || containsKey(key) ? found : otherwise;
    }

    default V putIfAbsent(K key, V value) {
        V found = get(key);
        if (found == null) {
            found = put(key, value);
        }
        return found;
    }

    interface Entry<K, V> {
        K getKey();

        V getValue();

        V setValue(V value);
    }
}
