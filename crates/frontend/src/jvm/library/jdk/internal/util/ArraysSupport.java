package jdk.internal.util;

/** All that the JDK's class does by the bytes of arrays. */
public class ArraysSupport {
    private ArraysSupport() {}

    /**
     * Where two arrays differ, or how many elements are left to be compared one by one, as a complement: none of wide ones, all
     * others. Offsets are indexes here.
     */
    public static int vectorizedMismatch(Object a, long from, Object b, long other, int length, int scale) {
        if (a instanceof long[]) {
            return mismatch((long[]) a, (int) from, (long[]) b, (int) other, length);
        }
        if (a instanceof double[]) {
            return mismatch((double[]) a, (int) from, (double[]) b, (int) other, length);
        }
        return ~length;
    }

    private static int mismatch(long[] a, int from, long[] b, int other, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[other + i]) {
                return i;
            }
        }
        return ~0;
    }

    private static int mismatch(double[] a, int from, double[] b, int other, int length) {
        for (int i = 0; i < length; i++) {
            if (Double.doubleToRawLongBits(a[from + i]) != Double.doubleToRawLongBits(b[other + i])) {
                return i;
            }
        }
        return ~0;
    }
}
