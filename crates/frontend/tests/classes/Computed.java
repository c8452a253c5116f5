import palisade.ThreadBody;

/** Everything that is computed before the threads start; `main` prints what Java makes of it. */
class Computed {
    static int shifts = (-17 >> 34) + (-17 >>> 28) + (3 << 33);
    static long longShifts;
    static int casts;
    static long sum;
    static int order;
    static int switched;
    static int shortCircuit;
    static int division;
    static long mixed;
    static int chars;
    static int nested;
    static int elements;
    static int compared;
    static boolean same;
    static int deep;

    static class Cell {
        int value;
        long wide;
        Cell next;

        Cell(int value, Cell next) {
            this.value = value;
            this.next = next;
        }

        int total() {
            int total = 0;
            for (Cell at = this; at != null; at = at.next) {
                total += at.value;
            }
            return total;
        }
    }

    static int choose(int n) {
        switch (n) {
            case -1:
                return 5;
            case 0:
            case 1:
                n += 10;
            case 2:
                n *= 2;
                break;
            case 1000000:
                return 7;
            default:
                return n > 100 ? n > 1000 ? 3 : 2 : 1;
        }
        return n;
    }

    static int compare(long a, long b) {
        int result = a < b ? 1 : 0;
        result += a <= b ? 2 : 0;
        result += a > b ? 4 : 0;
        result += a >= b ? 8 : 0;
        result += a == b ? 16 : 0;
        result += a != b ? 32 : 0;
        return result;
    }

    static int down(int n, boolean twice) {
        while (true) {
            n--;
            if (n < 0) {
                return twice ? n * 2 : n;
            }
            if (n % 7 == 3) {
                continue;
            }
            if (n == 40) {
                break;
            }
        }
        return n;
    }

    static {
        long big = 1L << 62;
        longShifts = (big >> 60) + (-big >>> 61) + (big << 66);
        int i = 300;
        casts = (byte) i + (short) 70000 + (char) -2 + (int) (big + 5);
        for (int n = 0; n < 10; n++) {
            if (n == 3) {
                continue;
            }
            sum += (long) n * n;
        }
        int j = 1;
        order = j++ * 10 + j++ * 100 + --j;
        switched = choose(-1) + 10 * choose(0) + 1000 * choose(2) + choose(1000000) + choose(500) + choose(5000);
        shortCircuit = (i > 0 || 1 / (i - 300) > 0) && !(i < 0) ? 1 : 2;
        division = -7 / 2 * 100 + -7 % 3 + Integer.MIN_VALUE / -1;
        mixed = i;
        mixed += i * i;
        mixed -= big;
        char c = 'a';
        c += 1;
        c++;
        chars = c;
        int[] a = {1, 2, 3};
        int k = 0;
        a[k++] += 5;
        a[k++] <<= 2;
        long[] w = new long[2];
        w[1] = w[0]-- + 4;
        elements = a[0] * 100 + a[1] * 10 + a[2] + (int) (w[0] + w[1]) + k * 1000 + a.length * 10000;
        Cell list = new Cell(1, new Cell(2, new Cell(4, null)));
        list.next.value += 10;
        list.wide = list.next.wide++ - 1;
        nested = list.total() + (int) list.wide * 100 + (int) list.next.wide * 1000;
        compared = compare(1, 2) + 100 * compare(2, 2) + 10000 * compare(-1, -2);
        Cell other = list;
        same = other == list && list.next != list;
        deep = down(100, true) + down(20, false) * 1000 + down(20, true) * 10000;
    }

    @ThreadBody
    static void nothing() {}

    public static void main(String[] args) throws Exception {
        for (java.lang.reflect.Field field : Computed.class.getDeclaredFields()) {
            System.out.println("global " + field.getName() + " = " + field.get(null));
        }
    }
}
