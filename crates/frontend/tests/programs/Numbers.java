/** Arithmetic of all types, arrays. */
public class Numbers {
    static long factorial(int n) {
        return n <= 1 ? 1 : n * factorial(n - 1);
    }

    static double half(double x) {
        return x / 2;
    }

    static long wide;
    static double real = 0.5;

    static class Mixed {
        int a;
        long b;
        double c;
        char d = 'x';
        byte e = (byte) 200;
        short f;
        boolean g;
        float h = 1.5f;
    }

    public static void main(String[] args) {
        System.out.println(factorial(20));
        System.out.println(Integer.MAX_VALUE + 1);
        System.out.println(Long.MIN_VALUE);
        System.out.println(-7 / 2 + " " + -7 % 2 + " " + (-7 >> 1) + " " + (-7 >>> 28) + " " + (1 << 33) + " " + (1L << 33));
        System.out.println((byte) 300 + " " + (short) 70000 + " " + (int) (char) -1 + " " + (char) 97);
        System.out.println(half(3));
        System.out.println(real * 3 - 0.25);
        System.out.println(0.1 + 0.2);
        System.out.println(1 / 0.0);
        System.out.println((int) 1e20);
        System.out.println((long) -2.9);
        System.out.println((int) Double.longBitsToDouble(0x7ff8000000000000L));
        System.out.println(5.5 % 2);
        double nan = 0.0 / 0.0;
        System.out.println((nan < 1) + " " + (nan > 1) + " " + (nan == nan) + " " + (nan != nan) + " " + !(nan >= 1));
        System.out.println((1.0 < 2.0) + " " + (2.0f >= 2.5f) + " " + (-0.0 == 0.0));
        System.out.println(1.5f * 2);
        System.out.println(-half(1));
        long big = 123456789012L;
        System.out.println(big * 10 + (int) big + (big ^ 5) + (big & 255) + (big | 1));
        System.out.println(big > wide ? "more" : "less");
        Mixed mixed = new Mixed();
        System.out.println(mixed.b + mixed.a);
        System.out.println(mixed.c);
        mixed.b += 1L << 40;
        mixed.c += 2;
        mixed.a++;
        mixed.f--;
        mixed.g = !mixed.g;
        System.out.println(mixed.b + " " + mixed.a + " " + mixed.d + " " + mixed.e + " " + mixed.f + " " + mixed.g);
        System.out.println(mixed.c);
        int[][] table = new int[3][4];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 4; j++) {
                table[i][j] = i * j;
            }
        }
        int sum = 0;
        for (int[] row : table) {
            for (int cell : row) {
                sum += cell;
            }
        }
        System.out.println(sum + " " + table.length + " " + table[2].length);
        long[] longs = {1, 2, 3};
        longs[1] <<= 35;
        System.out.println(longs[0] + longs[1] + longs[2]);
        double[] doubles = new double[2];
        doubles[1] = doubles[0] + 1;
        System.out.println(doubles[1]);
        char[] chars = {'a', 'b'};
        chars[0]++;
        System.out.println(chars);
        boolean[] flags = new boolean[2];
        flags[1] |= true;
        System.out.println(flags[0] + " " + flags[1]);
        int[] copy = table[2].clone();
        copy[1] = 50;
        System.out.println(copy[1] + " " + table[2][1]);
        System.arraycopy(copy, 0, copy, 1, 3);
        System.out.println(copy[0] + " " + copy[1] + " " + copy[2] + " " + copy[3]);
        int i = 5;
        i = i++ + ++i;
        System.out.println(i);
        int x = 3;
        x += x++ * 2 + x;
        System.out.println(x);
        System.out.println(Math.max(3, -4) + Math.abs(-9) + Math.min(2L, 1L));
        Integer boxed = 127;
        Integer same = 127;
        Integer large = 1000;
        Integer other = 1000;
        System.out.println((boxed == same) + " " + (large == other) + " " + large.equals(other));
        System.out.println(Integer.parseInt("-42") + Integer.valueOf(2));
        System.out.println(Integer.toHexString(-1) + " " + Integer.toHexString(255));
        do {
            x -= 3;
        } while (x > 0);
        System.out.println(x);
        System.out.println(Long.compare(3, 4) + Integer.compare(4, 3));
    }
}
