package java.io;

/** Says what a class writes to a stream; nothing is written. */
public class ObjectStreamField {
    public ObjectStreamField(String name, Class<?> type) {}
}
