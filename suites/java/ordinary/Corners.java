// What the library does by reflection, by the bytes of arrays, and with classes of java.io that only carry a message.
// expect sc pass
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;

public class Corners {
    static int[] drawn;

    static void check(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("differs from java");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread other = new Thread(() -> {
            Random random = new Random(7);
            drawn = new int[] { random.nextInt(100), random.nextInt(100) };
        });
        other.start();
        check(Arrays.equals(new int[] { 1, 2, 3 }, new int[] { 1, 2, 3 }));
        check(!Arrays.equals(new long[] { 1, 2, 3 }, new long[] { 1, 2, 4 }));
        check(Arrays.equals(new long[] { 1, 2 }, new long[] { 1, 2 }));
        check(!Arrays.equals(new double[] { 1, 2 }, new double[] { 1, 3 }));
        check(Arrays.equals(new double[] { 1, Double.NaN }, new double[] { 1, Double.NaN }));
        check(!Arrays.equals(new double[] { 1, 0.0 }, new double[] { 1, -0.0 }));
        check(!Arrays.equals(new float[] { 1, 0f }, new float[] { 1, -0f }));
        check(Arrays.mismatch(new byte[] { 1, 2 }, new byte[] { 1, 3 }) == 1);
        check(Arrays.compare(new char[] { 'a', 'b' }, new char[] { 'a', 'c' }) < 0);
        try {
            throw new UncheckedIOException(new IOException("full"));
        } catch (UncheckedIOException caught) {
            check(caught.getCause().getMessage().equals("full"));
        }
        other.join();
        java.lang.ref.Reference.reachabilityFence(drawn);
        check(drawn[0] == 36 && drawn[1] == 64);
    }
}
