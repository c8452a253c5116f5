package org.junit;

import org.junit.function.ThrowingRunnable;
import palisade.Compared;

/** The assertions of JUnit 4. */
public class Assert {
    protected Assert() {}

    private static void failed(String message, String what) {
        throw new AssertionError(message == null ? what : what == null ? message : message + " " + what);
    }

    public static void fail() {
        throw new AssertionError();
    }

    public static void fail(String message) {
        throw new AssertionError(message);
    }

    public static void assertEquals(long expected, long actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(String message, long expected, long actual) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertNotEquals(long expected, long actual) {
        if (!(expected != actual)) {
            failed(null, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(String message, long expected, long actual) {
        if (!(expected != actual)) {
            failed(message, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertEquals(Object expected, Object actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(String message, Object expected, Object actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertNotEquals(Object expected, Object actual) {
        if (!(!Compared.equal(expected, actual))) {
            failed(null, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(String message, Object expected, Object actual) {
        if (!(!Compared.equal(expected, actual))) {
            failed(message, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertEquals(float expected, float actual, float delta) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(String message, float expected, float actual, float delta) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual, double delta) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(String message, double expected, double actual, double delta) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(null, "arrays differ");
        }
    }

    public static void assertArrayEquals(String message, int[] expected, int[] actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(message, "arrays differ");
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(null, "arrays differ");
        }
    }

    public static void assertArrayEquals(String message, Object[] expected, Object[] actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(message, "arrays differ");
        }
    }

    public static void assertTrue(boolean condition) {
        if (!(condition)) {
            failed(null, null);
        }
    }

    public static void assertTrue(String message, boolean condition) {
        if (!(condition)) {
            failed(message, null);
        }
    }

    public static void assertFalse(boolean condition) {
        if (!(!condition)) {
            failed(null, null);
        }
    }

    public static void assertFalse(String message, boolean condition) {
        if (!(!condition)) {
            failed(message, null);
        }
    }

    public static void assertNull(Object actual) {
        if (!(actual == null)) {
            failed(null, "expected: <null> but was: <" + actual + ">");
        }
    }

    public static void assertNull(String message, Object actual) {
        if (!(actual == null)) {
            failed(message, "expected: <null> but was: <" + actual + ">");
        }
    }

    public static void assertNotNull(Object actual) {
        if (!(actual != null)) {
            failed(null, "expected: not <null>");
        }
    }

    public static void assertNotNull(String message, Object actual) {
        if (!(actual != null)) {
            failed(message, "expected: not <null>");
        }
    }

    public static void assertSame(Object expected, Object actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertSame(String message, Object expected, Object actual) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertNotSame(Object expected, Object actual) {
        if (!(expected != actual)) {
            failed(null, "expected: not same but was: <" + actual + ">");
        }
    }

    public static void assertNotSame(String message, Object expected, Object actual) {
        if (!(expected != actual)) {
            failed(message, "expected: not same but was: <" + actual + ">");
        }
    }

    public static <T extends Throwable> T assertThrows(Class<T> expected, ThrowingRunnable code) {
        return assertThrows(null, expected, code);
    }

    public static <T extends Throwable> T assertThrows(String message, Class<T> expected, ThrowingRunnable code) {
        try {
            code.run();
        } catch (Throwable thrown) {
            if (expected.isInstance(thrown)) {
                return expected.cast(thrown);
            }
            throw new AssertionError("unexpected exception type thrown: " + thrown);
        }
        throw new AssertionError(message == null ? "expected an exception, but nothing was thrown" : message);
    }
}
