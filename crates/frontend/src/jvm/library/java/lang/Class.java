package java.lang;

public final class Class<T> {
    private final String name;

    private Class() {
        name = null;
    }

    public String getName() {
        return name;
    }

    public String getSimpleName() {
        int start = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '.' || c == '$') {
                start = i + 1;
            }
        }
        return name.substring(start);
    }

    public Class<?> getComponentType() {
        return palisade.Machine.componentType(this);
    }

    public boolean isArray() {
        return palisade.Machine.componentType(this) != null;
    }

    public boolean isInstance(Object value) {
        return palisade.Machine.isInstance(this, value);
    }

    @SuppressWarnings("unchecked")
    public T cast(Object value) {
        if (value != null && !isInstance(value)) {
            throw new ClassCastException();
        }
        return (T) value;
    }

    public String getTypeName() {
        return name;
    }

    public boolean desiredAssertionStatus() {
        return true;
    }

    public String toString() {
        return "class " + name;
    }
}
