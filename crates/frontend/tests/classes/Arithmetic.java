import palisade.ThreadBody;

/** Widths, shifts, casts, comparisons of longs, the ternary, increments in expressions. */
class Arithmetic {
    static int x = -1;
    static long l = 1L << 40;
    static byte b = (byte) 200;
    static char c = (char) -1;
    static boolean flag = true;

    @ThreadBody
    static void widths() {
        int r1 = x << 33;
        long r2 = l >>> r1;
        b = (byte) r1;
        c = (char) r1;
        int r3 = (int) r2;
        r3 = r3++ * 2;
        int r4 = r2 < 3L ? r3 : -r3;
        flag = r2 == l;
        x = ~r4;
    }
}
