package java.lang;

public final class Math {
    private Math() {}

    public static int max(int a, int b) {
        return a >= b ? a : b;
    }

    public static int min(int a, int b) {
        return a <= b ? a : b;
    }

    public static long max(long a, long b) {
        return a >= b ? a : b;
    }

    public static long min(long a, long b) {
        return a <= b ? a : b;
    }

    public static int abs(int a) {
        return a < 0 ? -a : a;
    }

    public static long abs(long a) {
        return a < 0 ? -a : a;
    }

    public static double abs(double a) {
        return a <= 0.0 ? 0.0 - a : a;
    }

    public static double max(double a, double b) {
        if (a != a) {
            return a;
        }
        if (a == 0.0 && b == 0.0 && 1.0 / a < 0) {
            return b;
        }
        return a >= b ? a : b;
    }

    public static double min(double a, double b) {
        if (a != a) {
            return a;
        }
        if (a == 0.0 && b == 0.0 && 1.0 / b < 0) {
            return b;
        }
        return a <= b ? a : b;
    }

    public static int floorMod(int a, int b) {
        int rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }

    public static int floorDiv(int a, int b) {
        int quotient = a / b;
        return (a < 0) != (b < 0) && quotient * b != a ? quotient - 1 : quotient;
    }
}
