//! The classes that stand in for those of the JDK. Their sources stand beside the class files in `jvm/library`.

/// Class files by binary name, in order.
const CLASSES: &[(&str, &[u8])] = &[
    ("java/io/ObjectStreamField", include_bytes!("../library/java/io/ObjectStreamField.class")),
    ("java/io/PrintStream", include_bytes!("../library/java/io/PrintStream.class")),
    ("java/io/Serializable", include_bytes!("../library/java/io/Serializable.class")),
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
    ("java/lang/Record", include_bytes!("../library/java/lang/Record.class")),
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
    ("java/lang/Thread$State", include_bytes!("../library/java/lang/Thread$State.class")),
    (
        "java/lang/Thread$UncaughtExceptionHandler",
        include_bytes!("../library/java/lang/Thread$UncaughtExceptionHandler.class"),
    ),
    ("java/lang/ThreadLocal", include_bytes!("../library/java/lang/ThreadLocal.class")),
    ("java/lang/ThreadLocal$Value", include_bytes!("../library/java/lang/ThreadLocal$Value.class")),
    ("java/lang/Throwable", include_bytes!("../library/java/lang/Throwable.class")),
    (
        "java/lang/UnsupportedOperationException",
        include_bytes!("../library/java/lang/UnsupportedOperationException.class"),
    ),
    ("java/lang/constant/Constable", include_bytes!("../library/java/lang/constant/Constable.class")),
    ("java/lang/constant/ConstantDesc", include_bytes!("../library/java/lang/constant/ConstantDesc.class")),
    ("java/lang/ref/Cleaner", include_bytes!("../library/java/lang/ref/Cleaner.class")),
    ("java/lang/ref/Cleaner$Cleanable", include_bytes!("../library/java/lang/ref/Cleaner$Cleanable.class")),
    ("java/lang/ref/Cleaner$Registered", include_bytes!("../library/java/lang/ref/Cleaner$Registered.class")),
    ("java/util/AbstractCollection", include_bytes!("../library/java/util/AbstractCollection.class")),
    ("java/util/AbstractList", include_bytes!("../library/java/util/AbstractList.class")),
    ("java/util/AbstractMap", include_bytes!("../library/java/util/AbstractMap.class")),
    ("java/util/AbstractSet", include_bytes!("../library/java/util/AbstractSet.class")),
    ("java/util/ArrayList", include_bytes!("../library/java/util/ArrayList.class")),
    ("java/util/ArrayList$1", include_bytes!("../library/java/util/ArrayList$1.class")),
    ("java/util/ArrayList$Walk", include_bytes!("../library/java/util/ArrayList$Walk.class")),
    ("java/util/Collection", include_bytes!("../library/java/util/Collection.class")),
    (
        "java/util/ConcurrentModificationException",
        include_bytes!("../library/java/util/ConcurrentModificationException.class"),
    ),
    ("java/util/EmptyStackException", include_bytes!("../library/java/util/EmptyStackException.class")),
    ("java/util/HashMap", include_bytes!("../library/java/util/HashMap.class")),
    ("java/util/HashMap$1", include_bytes!("../library/java/util/HashMap$1.class")),
    ("java/util/HashMap$Entries", include_bytes!("../library/java/util/HashMap$Entries.class")),
    ("java/util/HashMap$EntryWalk", include_bytes!("../library/java/util/HashMap$EntryWalk.class")),
    ("java/util/HashMap$KeyWalk", include_bytes!("../library/java/util/HashMap$KeyWalk.class")),
    ("java/util/HashMap$Keys", include_bytes!("../library/java/util/HashMap$Keys.class")),
    ("java/util/HashMap$Node", include_bytes!("../library/java/util/HashMap$Node.class")),
    ("java/util/HashMap$ValueWalk", include_bytes!("../library/java/util/HashMap$ValueWalk.class")),
    ("java/util/HashMap$Values", include_bytes!("../library/java/util/HashMap$Values.class")),
    ("java/util/HashMap$Walk", include_bytes!("../library/java/util/HashMap$Walk.class")),
    ("java/util/HashSet", include_bytes!("../library/java/util/HashSet.class")),
    ("java/util/Iterator", include_bytes!("../library/java/util/Iterator.class")),
    ("java/util/List", include_bytes!("../library/java/util/List.class")),
    ("java/util/Map", include_bytes!("../library/java/util/Map.class")),
    ("java/util/Map$Entry", include_bytes!("../library/java/util/Map$Entry.class")),
    ("java/util/NoSuchElementException", include_bytes!("../library/java/util/NoSuchElementException.class")),
    ("java/util/Objects", include_bytes!("../library/java/util/Objects.class")),
    ("java/util/RandomAccess", include_bytes!("../library/java/util/RandomAccess.class")),
    ("java/util/Set", include_bytes!("../library/java/util/Set.class")),
    ("java/util/StringJoiner", include_bytes!("../library/java/util/StringJoiner.class")),
    ("java/util/concurrent/Callable", include_bytes!("../library/java/util/concurrent/Callable.class")),
    ("java/util/concurrent/CountDownLatch", include_bytes!("../library/java/util/concurrent/CountDownLatch.class")),
    ("java/util/concurrent/CountedCompleter", include_bytes!("../library/java/util/concurrent/CountedCompleter.class")),
    ("java/util/concurrent/CyclicBarrier", include_bytes!("../library/java/util/concurrent/CyclicBarrier.class")),
    ("java/util/concurrent/CyclicBarrier$1", include_bytes!("../library/java/util/concurrent/CyclicBarrier$1.class")),
    (
        "java/util/concurrent/CyclicBarrier$Generation",
        include_bytes!("../library/java/util/concurrent/CyclicBarrier$Generation.class"),
    ),
    ("java/util/concurrent/Executors", include_bytes!("../library/java/util/concurrent/Executors.class")),
    ("java/util/concurrent/ForkJoinPool", include_bytes!("../library/java/util/concurrent/ForkJoinPool.class")),
    (
        "java/util/concurrent/ForkJoinPool$Common",
        include_bytes!("../library/java/util/concurrent/ForkJoinPool$Common.class"),
    ),
    (
        "java/util/concurrent/ForkJoinPool$ManagedBlocker",
        include_bytes!("../library/java/util/concurrent/ForkJoinPool$ManagedBlocker.class"),
    ),
    ("java/util/concurrent/ForkJoinTask", include_bytes!("../library/java/util/concurrent/ForkJoinTask.class")),
    (
        "java/util/concurrent/ForkJoinTask$Runner",
        include_bytes!("../library/java/util/concurrent/ForkJoinTask$Runner.class"),
    ),
    ("java/util/concurrent/FutureTask", include_bytes!("../library/java/util/concurrent/FutureTask.class")),
    ("java/util/concurrent/RecursiveAction", include_bytes!("../library/java/util/concurrent/RecursiveAction.class")),
    ("java/util/concurrent/RecursiveTask", include_bytes!("../library/java/util/concurrent/RecursiveTask.class")),
    ("java/util/concurrent/Semaphore", include_bytes!("../library/java/util/concurrent/Semaphore.class")),
    (
        "java/util/concurrent/ThreadLocalRandom",
        include_bytes!("../library/java/util/concurrent/ThreadLocalRandom.class"),
    ),
    ("java/util/concurrent/TimeUnit", include_bytes!("../library/java/util/concurrent/TimeUnit.class")),
    (
        "java/util/concurrent/atomic/AtomicBoolean",
        include_bytes!("../library/java/util/concurrent/atomic/AtomicBoolean.class"),
    ),
    (
        "java/util/concurrent/atomic/AtomicInteger",
        include_bytes!("../library/java/util/concurrent/atomic/AtomicInteger.class"),
    ),
    (
        "java/util/concurrent/atomic/AtomicLong",
        include_bytes!("../library/java/util/concurrent/atomic/AtomicLong.class"),
    ),
    (
        "java/util/concurrent/atomic/AtomicReference",
        include_bytes!("../library/java/util/concurrent/atomic/AtomicReference.class"),
    ),
    ("java/util/concurrent/locks/Condition", include_bytes!("../library/java/util/concurrent/locks/Condition.class")),
    ("java/util/concurrent/locks/Lock", include_bytes!("../library/java/util/concurrent/locks/Lock.class")),
    (
        "java/util/concurrent/locks/LockSupport",
        include_bytes!("../library/java/util/concurrent/locks/LockSupport.class"),
    ),
    (
        "java/util/concurrent/locks/ReadWriteLock",
        include_bytes!("../library/java/util/concurrent/locks/ReadWriteLock.class"),
    ),
    (
        "java/util/concurrent/locks/ReentrantLock",
        include_bytes!("../library/java/util/concurrent/locks/ReentrantLock.class"),
    ),
    (
        "java/util/concurrent/locks/ReentrantReadWriteLock",
        include_bytes!("../library/java/util/concurrent/locks/ReentrantReadWriteLock.class"),
    ),
    (
        "java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock",
        include_bytes!("../library/java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.class"),
    ),
    (
        "java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock",
        include_bytes!("../library/java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock.class"),
    ),
    ("java/util/concurrent/locks/Waiters", include_bytes!("../library/java/util/concurrent/locks/Waiters.class")),
    ("java/util/concurrent/locks/Waiters$1", include_bytes!("../library/java/util/concurrent/locks/Waiters$1.class")),
    (
        "java/util/concurrent/locks/Waiters$Waiter",
        include_bytes!("../library/java/util/concurrent/locks/Waiters$Waiter.class"),
    ),
    ("java/util/function/BiConsumer", include_bytes!("../library/java/util/function/BiConsumer.class")),
    ("java/util/function/BiFunction", include_bytes!("../library/java/util/function/BiFunction.class")),
    ("java/util/function/BinaryOperator", include_bytes!("../library/java/util/function/BinaryOperator.class")),
    ("java/util/function/BooleanSupplier", include_bytes!("../library/java/util/function/BooleanSupplier.class")),
    ("java/util/function/Consumer", include_bytes!("../library/java/util/function/Consumer.class")),
    ("java/util/function/Function", include_bytes!("../library/java/util/function/Function.class")),
    ("java/util/function/IntBinaryOperator", include_bytes!("../library/java/util/function/IntBinaryOperator.class")),
    ("java/util/function/IntConsumer", include_bytes!("../library/java/util/function/IntConsumer.class")),
    ("java/util/function/IntFunction", include_bytes!("../library/java/util/function/IntFunction.class")),
    ("java/util/function/IntPredicate", include_bytes!("../library/java/util/function/IntPredicate.class")),
    ("java/util/function/IntSupplier", include_bytes!("../library/java/util/function/IntSupplier.class")),
    ("java/util/function/IntUnaryOperator", include_bytes!("../library/java/util/function/IntUnaryOperator.class")),
    ("java/util/function/LongBinaryOperator", include_bytes!("../library/java/util/function/LongBinaryOperator.class")),
    ("java/util/function/LongUnaryOperator", include_bytes!("../library/java/util/function/LongUnaryOperator.class")),
    ("java/util/function/Predicate", include_bytes!("../library/java/util/function/Predicate.class")),
    ("java/util/function/Supplier", include_bytes!("../library/java/util/function/Supplier.class")),
    ("java/util/function/UnaryOperator", include_bytes!("../library/java/util/function/UnaryOperator.class")),
    ("jdk/internal/ref/CleanerFactory", include_bytes!("../library/jdk/internal/ref/CleanerFactory.class")),
    ("jdk/internal/util/ArraysSupport", include_bytes!("../library/jdk/internal/util/ArraysSupport.class")),
    ("org/junit/Assert", include_bytes!("../library/org/junit/Assert.class")),
    ("org/junit/function/ThrowingRunnable", include_bytes!("../library/org/junit/function/ThrowingRunnable.class")),
    ("org/junit/jupiter/api/Assertions", include_bytes!("../library/org/junit/jupiter/api/Assertions.class")),
    (
        "org/junit/jupiter/api/function/Executable",
        include_bytes!("../library/org/junit/jupiter/api/function/Executable.class"),
    ),
    (
        "org/junit/jupiter/api/function/ThrowingSupplier",
        include_bytes!("../library/org/junit/jupiter/api/function/ThrowingSupplier.class"),
    ),
    ("org/opentest4j/AssertionFailedError", include_bytes!("../library/org/opentest4j/AssertionFailedError.class")),
    ("palisade/Compared", include_bytes!("../library/palisade/Compared.class")),
    ("palisade/IntUpdater", include_bytes!("../library/palisade/IntUpdater.class")),
    ("palisade/LongUpdater", include_bytes!("../library/palisade/LongUpdater.class")),
    ("palisade/Machine", include_bytes!("../library/palisade/Machine.class")),
    ("palisade/Pool", include_bytes!("../library/palisade/Pool.class")),
    ("palisade/Pool$1", include_bytes!("../library/palisade/Pool$1.class")),
    ("palisade/Pool$Alive", include_bytes!("../library/palisade/Pool$Alive.class")),
    ("palisade/Pool$Task", include_bytes!("../library/palisade/Pool$Task.class")),
    ("palisade/Pool$Worker", include_bytes!("../library/palisade/Pool$Worker.class")),
    ("palisade/ReferenceUpdater", include_bytes!("../library/palisade/ReferenceUpdater.class")),
    ("palisade/WaitSet", include_bytes!("../library/palisade/WaitSet.class")),
    ("palisade/WaitSet$Waiter", include_bytes!("../library/palisade/WaitSet$Waiter.class")),
];

/// The class file of a library class.
pub fn find(name: &str) -> Option<&'static [u8]> {
    let index = CLASSES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(CLASSES[index].1)
}

/// Our classes that take from a JDK's class of the same name what they lack. The others are made another way than the JDK's, so
/// that its methods would not fit.
const EXTENDED: [&str; 18] = [
    "java/lang/Boolean",
    "java/lang/CharSequence",
    "java/lang/Character",
    "java/lang/Comparable",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Iterable",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Number",
    "java/util/concurrent/Callable",
    "java/util/concurrent/Executors",
    "java/util/concurrent/atomic/AtomicBoolean",
    "java/util/concurrent/atomic/AtomicInteger",
    "java/util/concurrent/atomic/AtomicLong",
    "java/util/concurrent/atomic/AtomicReference",
    "jdk/internal/util/ArraysSupport",
];

/// The classes whose methods lowering calls without an instruction that says so.
pub const BOXES_AND_BUILDERS: [&str; 7] = [
    "java/lang/Boolean",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/StringBuilder",
    "java/util/Objects",
];

/// The class that keeps who waits at monitors.
pub const WAIT_SETS: &str = "palisade/WaitSet";
/// The descriptor of its methods.
pub const WAIT_SET_METHOD: &str = "(Ljava/lang/Object;Z)V";

/// The conditions of locks.
pub const CONDITIONS: &str = "java/util/concurrent/locks/Condition";

/// The method of conditions that stands in for one that waits, if nobody signals.
pub fn awakening(name: &str) -> Option<&'static str> {
    match name {
        "await" => Some("wakeUp"),
        "awaitUninterruptibly" => Some("wakeUpUninterruptibly"),
        _ => None,
    }
}

/// What a native method calls besides: class, name and descriptor.
pub fn calls(class: &str, name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    match (class, name) {
        ("java/lang/Object", "wait") => Some((WAIT_SETS, "await", WAIT_SET_METHOD)),
        ("java/lang/Object", "notify" | "notifyAll") => Some((WAIT_SETS, "notify", WAIT_SET_METHOD)),
        _ => None,
    }
}

/// Whether a class makes promises about concurrency, whatever the modes of its accesses: those of `java.util.concurrent`, but for
/// the atomic variables, whose modes are the caller's.
pub fn keeps_promises(name: &str) -> bool {
    let inner = name.strip_prefix("java/util/concurrent/");
    inner.is_some_and(|inner| !inner.starts_with("atomic/Atomic"))
}

/// Whether a class takes what it lacks from a JDK.
pub fn is_extended(name: &str) -> bool {
    EXTENDED.contains(&name)
}

/// Parts of a JDK that are not modelled: what gets there is refused. `java.lang` is our own but for what stands in `EXTENDED`.
const LEFT_OUT: [&str; 14] = [
    "java/io/",
    "java/lang/invoke/",
    "java/lang/module/",
    "java/lang/ref/",
    "java/lang/reflect/",
    "java/net/",
    "java/nio/",
    "java/security/",
    "java/text/",
    "java/time/",
    "java/util/Locale",
    "java/util/regex/",
    "jdk/internal/",
    "sun/",
];

/// What is not left out although it stands there.
const KEPT: [&str; 13] = [
    "java/io/EOFException",
    "java/io/FileNotFoundException",
    "java/io/IOException",
    "java/io/InterruptedIOException",
    "java/io/Serializable",
    "java/io/UncheckedIOException",
    "java/security/BasicPermission",
    "java/security/Guard",
    "java/security/Permission",
    "java/security/PrivilegedAction",
    "jdk/internal/misc/Unsafe",
    "jdk/internal/util/",
    "sun/security/action/GetBooleanAction",
];

/// Whether a JDK's class is not looked at.
pub fn is_left_out(name: &str) -> bool {
    let begins = |prefix: &&str| name.starts_with(*prefix);
    LEFT_OUT.iter().any(begins) && !KEPT.iter().any(begins) && find(name).is_none()
}

/// Classes of collections that in the JDK need what is not modelled.
const NEEDS_REFLECTION: [&str; 1] = ["java/util/StringJoiner"];

/// Whether a JDK's class is used in place of ours if there is one: collections and functions, which other classes of the JDK
/// extend.
pub fn gives_way(name: &str) -> bool {
    name.starts_with("java/util/") && !name.starts_with("java/util/concurrent/") && !NEEDS_REFLECTION.contains(&name)
}
