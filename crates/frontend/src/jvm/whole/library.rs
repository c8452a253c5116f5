//! The classes that stand in for those of the JDK. Their sources stand beside the class files in `jvm/library`.

/// Class files by binary name, in order.
const CLASSES: &[(&str, &[u8])] = &[
    ("java/io/PrintStream", include_bytes!("../library/java/io/PrintStream.class")),
    ("java/lang/ArithmeticException", include_bytes!("../library/java/lang/ArithmeticException.class")),
    (
        "java/lang/ArrayIndexOutOfBoundsException",
        include_bytes!("../library/java/lang/ArrayIndexOutOfBoundsException.class"),
    ),
    ("java/lang/ArrayStoreException", include_bytes!("../library/java/lang/ArrayStoreException.class")),
    ("java/lang/AssertionError", include_bytes!("../library/java/lang/AssertionError.class")),
    ("java/lang/AutoCloseable", include_bytes!("../library/java/lang/AutoCloseable.class")),
    ("java/lang/Boolean", include_bytes!("../library/java/lang/Boolean.class")),
    ("java/lang/CharSequence", include_bytes!("../library/java/lang/CharSequence.class")),
    ("java/lang/Character", include_bytes!("../library/java/lang/Character.class")),
    ("java/lang/Class", include_bytes!("../library/java/lang/Class.class")),
    ("java/lang/ClassCastException", include_bytes!("../library/java/lang/ClassCastException.class")),
    ("java/lang/CloneNotSupportedException", include_bytes!("../library/java/lang/CloneNotSupportedException.class")),
    ("java/lang/Cloneable", include_bytes!("../library/java/lang/Cloneable.class")),
    ("java/lang/Comparable", include_bytes!("../library/java/lang/Comparable.class")),
    ("java/lang/Double", include_bytes!("../library/java/lang/Double.class")),
    ("java/lang/Enum", include_bytes!("../library/java/lang/Enum.class")),
    ("java/lang/Error", include_bytes!("../library/java/lang/Error.class")),
    ("java/lang/Exception", include_bytes!("../library/java/lang/Exception.class")),
    ("java/lang/ExceptionInInitializerError", include_bytes!("../library/java/lang/ExceptionInInitializerError.class")),
    ("java/lang/IllegalArgumentException", include_bytes!("../library/java/lang/IllegalArgumentException.class")),
    (
        "java/lang/IllegalMonitorStateException",
        include_bytes!("../library/java/lang/IllegalMonitorStateException.class"),
    ),
    ("java/lang/IllegalStateException", include_bytes!("../library/java/lang/IllegalStateException.class")),
    ("java/lang/IllegalThreadStateException", include_bytes!("../library/java/lang/IllegalThreadStateException.class")),
    (
        "java/lang/IncompatibleClassChangeError",
        include_bytes!("../library/java/lang/IncompatibleClassChangeError.class"),
    ),
    ("java/lang/IndexOutOfBoundsException", include_bytes!("../library/java/lang/IndexOutOfBoundsException.class")),
    ("java/lang/Integer", include_bytes!("../library/java/lang/Integer.class")),
    ("java/lang/InterruptedException", include_bytes!("../library/java/lang/InterruptedException.class")),
    ("java/lang/Iterable", include_bytes!("../library/java/lang/Iterable.class")),
    ("java/lang/LinkageError", include_bytes!("../library/java/lang/LinkageError.class")),
    ("java/lang/Long", include_bytes!("../library/java/lang/Long.class")),
    ("java/lang/Math", include_bytes!("../library/java/lang/Math.class")),
    ("java/lang/NegativeArraySizeException", include_bytes!("../library/java/lang/NegativeArraySizeException.class")),
    ("java/lang/NoClassDefFoundError", include_bytes!("../library/java/lang/NoClassDefFoundError.class")),
    ("java/lang/NoSuchFieldError", include_bytes!("../library/java/lang/NoSuchFieldError.class")),
    ("java/lang/NullPointerException", include_bytes!("../library/java/lang/NullPointerException.class")),
    ("java/lang/Number", include_bytes!("../library/java/lang/Number.class")),
    ("java/lang/NumberFormatException", include_bytes!("../library/java/lang/NumberFormatException.class")),
    ("java/lang/Object", include_bytes!("../library/java/lang/Object.class")),
    ("java/lang/Runnable", include_bytes!("../library/java/lang/Runnable.class")),
    ("java/lang/RuntimeException", include_bytes!("../library/java/lang/RuntimeException.class")),
    ("java/lang/String", include_bytes!("../library/java/lang/String.class")),
    ("java/lang/StringBuffer", include_bytes!("../library/java/lang/StringBuffer.class")),
    ("java/lang/StringBuilder", include_bytes!("../library/java/lang/StringBuilder.class")),
    (
        "java/lang/StringIndexOutOfBoundsException",
        include_bytes!("../library/java/lang/StringIndexOutOfBoundsException.class"),
    ),
    ("java/lang/System", include_bytes!("../library/java/lang/System.class")),
    ("java/lang/Thread", include_bytes!("../library/java/lang/Thread.class")),
    ("java/lang/Throwable", include_bytes!("../library/java/lang/Throwable.class")),
    (
        "java/lang/UnsupportedOperationException",
        include_bytes!("../library/java/lang/UnsupportedOperationException.class"),
    ),
    (
        "java/util/ConcurrentModificationException",
        include_bytes!("../library/java/util/ConcurrentModificationException.class"),
    ),
    ("java/util/EmptyStackException", include_bytes!("../library/java/util/EmptyStackException.class")),
    ("java/util/NoSuchElementException", include_bytes!("../library/java/util/NoSuchElementException.class")),
    ("palisade/Machine", include_bytes!("../library/palisade/Machine.class")),
];

/// The class file of a library class.
pub fn find(name: &str) -> Option<&'static [u8]> {
    let index = CLASSES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(CLASSES[index].1)
}
