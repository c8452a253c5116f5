// Arithmetic of double, float, char, byte, short, long and boolean. Prints the same in every execution.
// expect sc pass
public class Floats {
    static double half(int n) { return n / 2.0; }

    public static void main(String[] args) {
        double sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += 0.1;
        }
        System.out.println(sum);
        System.out.println(0.1 + 0.2);
        System.out.println(1e10);
        System.out.println(1e7);
        System.out.println(1.0e-5);
        System.out.println(123456.789);
        System.out.println(0.001);
        System.out.println(100.0);
        System.out.println(1 / 0.0);
        System.out.println(-1 / 0.0);
        System.out.println(0.0 / 0.0);
        System.out.println(-0.0);
        System.out.println((int) 3.99);
        System.out.println((int) -3.99);
        System.out.println((int) 1e20);
        System.out.println((long) Double.NaN);
        System.out.println((long) -1e30);
        System.out.println(7.5 % 2);
        System.out.println(-7.5 % 2);
        System.out.println(half(7));
        float f = 1.1f;
        System.out.println(f);
        System.out.println(f * f);
        System.out.println((double) f);
        System.out.println((f == 1.1));
        double nan = Double.NaN;
        System.out.println((nan == nan));
        System.out.println((nan < 1));
        System.out.println((nan != nan));
        System.out.println(!(nan >= 1));
        char c = 'a';
        c += 2;
        c++;
        System.out.println(c);
        System.out.println((int) c);
        System.out.println((char) (c + 1));
        System.out.println((c > 'b'));
        System.out.println((char) 65.7);
        byte b = (byte) 200;
        short s = (short) 70000;
        System.out.println(b);
        System.out.println(s);
        System.out.println((b & 0xff));
        System.out.println((b >> 1));
        System.out.println((b >>> 1));
        System.out.println((s << 20));
        long l = Long.MAX_VALUE;
        l++;
        System.out.println(l);
        System.out.println((l >>> 60));
        System.out.println((int) (l >> 3));
        System.out.println(Long.MIN_VALUE / -1);
        System.out.println(5L % -3);
        System.out.println(Integer.MIN_VALUE / -1);
        System.out.println(Math.abs(Integer.MIN_VALUE));
        System.out.println(-7 / 2);
        System.out.println(-7 % 3);
        System.out.println(Math.max(1.5, 2));
        System.out.println(Math.min(-0.0, 0.0));
        System.out.println(Math.abs(-2.5));
        System.out.println((1 << 33));
        System.out.println((1L << 33));
        System.out.println((5 ^ 3));
        System.out.println(~5);
        boolean t = true, u = false;
        System.out.println((t ^ u));
        System.out.println((t & u));
        System.out.println((t | u));
        System.out.println((t ? 1 : 2.0));
        int i = 16777217;
        System.out.println((float) i);
        System.out.println((double) i);
        System.out.println((long) (float) i);
        System.out.println(Double.compare(1.0, 2.0));
        System.out.println(Double.isNaN(nan));
        System.out.println(Double.valueOf(2.5).equals(2.5));
    }
}
