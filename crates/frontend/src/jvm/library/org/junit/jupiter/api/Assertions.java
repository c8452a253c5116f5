package org.junit.jupiter.api;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.opentest4j.AssertionFailedError;
import palisade.Compared;

/** The assertions of JUnit 5. */
public class Assertions {
    protected Assertions() {}

    private static void failed(String message, String what) {
        throw new AssertionFailedError(message == null ? what : what == null ? message : message + " ==> " + what);
    }

    public static <V> V fail() {
        throw new AssertionFailedError();
    }

    public static <V> V fail(String message) {
        throw new AssertionFailedError(message);
    }

    public static void assertTrue(BooleanSupplier condition) {
        assertTrue(condition.getAsBoolean());
    }

    public static void assertFalse(BooleanSupplier condition) {
        assertFalse(condition.getAsBoolean());
    }

    public static void assertAll(Executable... executables) throws Throwable {
        for (Executable executable : executables) {
            executable.execute();
        }
    }

    public static void assertDoesNotThrow(Executable executable) {
        try {
            executable.execute();
        } catch (Throwable thrown) {
            throw new AssertionFailedError("Unexpected exception thrown: " + thrown);
        }
    }

    public static <T> T assertDoesNotThrow(ThrowingSupplier<T> supplier) {
        try {
            return supplier.get();
        } catch (Throwable thrown) {
            throw new AssertionFailedError("Unexpected exception thrown: " + thrown);
        }
    }

    public static void assertEquals(long expected, long actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(long expected, long actual, String message) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(long expected, long actual, Supplier<String> message) {
        if (!(expected == actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertNotEquals(long expected, long actual) {
        if (!(expected != actual)) {
            failed(null, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(long expected, long actual, String message) {
        if (!(expected != actual)) {
            failed(message, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(long expected, long actual, Supplier<String> message) {
        if (!(expected != actual)) {
            failed(message.get(), "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertEquals(int expected, int actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(int expected, int actual, String message) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(int expected, int actual, Supplier<String> message) {
        if (!(expected == actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertNotEquals(int expected, int actual) {
        if (!(expected != actual)) {
            failed(null, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(int expected, int actual, String message) {
        if (!(expected != actual)) {
            failed(message, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(int expected, int actual, Supplier<String> message) {
        if (!(expected != actual)) {
            failed(message.get(), "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertEquals(short expected, short actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(short expected, short actual, String message) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(short expected, short actual, Supplier<String> message) {
        if (!(expected == actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertEquals(byte expected, byte actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(byte expected, byte actual, String message) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(byte expected, byte actual, Supplier<String> message) {
        if (!(expected == actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertEquals(char expected, char actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(char expected, char actual, String message) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(char expected, char actual, Supplier<String> message) {
        if (!(expected == actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertEquals(float expected, float actual) {
        if (!(expected == actual || expected != expected && actual != actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(float expected, float actual, String message) {
        if (!(expected == actual || expected != expected && actual != actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(float expected, float actual, Supplier<String> message) {
        if (!(expected == actual || expected != expected && actual != actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual) {
        if (!(expected == actual || expected != expected && actual != actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual, String message) {
        if (!(expected == actual || expected != expected && actual != actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual, Supplier<String> message) {
        if (!(expected == actual || expected != expected && actual != actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Object expected, Object actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Object expected, Object actual, String message) {
        if (!(Compared.equal(expected, actual))) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Object expected, Object actual, Supplier<String> message) {
        if (!(Compared.equal(expected, actual))) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertNotEquals(Object expected, Object actual) {
        if (!(!Compared.equal(expected, actual))) {
            failed(null, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(Object expected, Object actual, String message) {
        if (!(!Compared.equal(expected, actual))) {
            failed(message, "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertNotEquals(Object expected, Object actual, Supplier<String> message) {
        if (!(!Compared.equal(expected, actual))) {
            failed(message.get(), "expected: not equal but was: <" + actual + ">");
        }
    }

    public static void assertEquals(float expected, float actual, float delta) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(float expected, float actual, float delta, String message) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(float expected, float actual, float delta, Supplier<String> message) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual, double delta) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual, double delta, String message) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, double actual, double delta, Supplier<String> message) {
        if (!(Compared.near(expected, actual, delta))) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(null, "arrays differ");
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual, String message) {
        if (!(Compared.equal(expected, actual))) {
            failed(message, "arrays differ");
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual, Supplier<String> message) {
        if (!(Compared.equal(expected, actual))) {
            failed(message.get(), "arrays differ");
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual) {
        if (!(Compared.equal(expected, actual))) {
            failed(null, "arrays differ");
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual, String message) {
        if (!(Compared.equal(expected, actual))) {
            failed(message, "arrays differ");
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual, Supplier<String> message) {
        if (!(Compared.equal(expected, actual))) {
            failed(message.get(), "arrays differ");
        }
    }

    public static void assertTrue(boolean condition) {
        if (!(condition)) {
            failed(null, "expected: <true> but was: <false>");
        }
    }

    public static void assertTrue(boolean condition, String message) {
        if (!(condition)) {
            failed(message, "expected: <true> but was: <false>");
        }
    }

    public static void assertTrue(boolean condition, Supplier<String> message) {
        if (!(condition)) {
            failed(message.get(), "expected: <true> but was: <false>");
        }
    }

    public static void assertFalse(boolean condition) {
        if (!(!condition)) {
            failed(null, "expected: <false> but was: <true>");
        }
    }

    public static void assertFalse(boolean condition, String message) {
        if (!(!condition)) {
            failed(message, "expected: <false> but was: <true>");
        }
    }

    public static void assertFalse(boolean condition, Supplier<String> message) {
        if (!(!condition)) {
            failed(message.get(), "expected: <false> but was: <true>");
        }
    }

    public static void assertNull(Object actual) {
        if (!(actual == null)) {
            failed(null, "expected: <null> but was: <" + actual + ">");
        }
    }

    public static void assertNull(Object actual, String message) {
        if (!(actual == null)) {
            failed(message, "expected: <null> but was: <" + actual + ">");
        }
    }

    public static void assertNull(Object actual, Supplier<String> message) {
        if (!(actual == null)) {
            failed(message.get(), "expected: <null> but was: <" + actual + ">");
        }
    }

    public static void assertNotNull(Object actual) {
        if (!(actual != null)) {
            failed(null, "expected: not <null>");
        }
    }

    public static void assertNotNull(Object actual, String message) {
        if (!(actual != null)) {
            failed(message, "expected: not <null>");
        }
    }

    public static void assertNotNull(Object actual, Supplier<String> message) {
        if (!(actual != null)) {
            failed(message.get(), "expected: not <null>");
        }
    }

    public static void assertSame(Object expected, Object actual) {
        if (!(expected == actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertSame(Object expected, Object actual, String message) {
        if (!(expected == actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertSame(Object expected, Object actual, Supplier<String> message) {
        if (!(expected == actual)) {
            failed(message.get(), Compared.values(expected, actual));
        }
    }

    public static void assertNotSame(Object expected, Object actual) {
        if (!(expected != actual)) {
            failed(null, "expected: not same but was: <" + actual + ">");
        }
    }

    public static void assertNotSame(Object expected, Object actual, String message) {
        if (!(expected != actual)) {
            failed(message, "expected: not same but was: <" + actual + ">");
        }
    }

    public static void assertNotSame(Object expected, Object actual, Supplier<String> message) {
        if (!(expected != actual)) {
            failed(message.get(), "expected: not same but was: <" + actual + ">");
        }
    }

    public static void assertEquals(long expected, Long actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(long expected, Long actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Long expected, long actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Long expected, long actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Long expected, Long actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Long expected, Long actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(int expected, Integer actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(int expected, Integer actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Integer expected, int actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Integer expected, int actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Integer expected, Integer actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Integer expected, Integer actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(char expected, Character actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(char expected, Character actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Character expected, char actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Character expected, char actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Character expected, Character actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Character expected, Character actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, Double actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(double expected, Double actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Double expected, double actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Double expected, double actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Double expected, Double actual) {
        if (!Compared.equal(expected, actual)) {
            failed(null, Compared.values(expected, actual));
        }
    }

    public static void assertEquals(Double expected, Double actual, String message) {
        if (!Compared.equal(expected, actual)) {
            failed(message, Compared.values(expected, actual));
        }
    }

    public static <T extends Throwable> T assertThrows(Class<T> expected, Executable code) {
        return assertThrows(expected, code, (String) null);
    }

    public static <T extends Throwable> T assertThrows(Class<T> expected, Executable code, String message) {
        try {
            code.execute();
        } catch (Throwable thrown) {
            if (expected.isInstance(thrown)) {
                return expected.cast(thrown);
            }
            throw new AssertionFailedError("unexpected exception type thrown: " + thrown);
        }
        throw new AssertionFailedError(message == null ? "expected an exception, but nothing was thrown" : message);
    }
}
