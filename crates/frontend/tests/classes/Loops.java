import palisade.ThreadBody;

/** Loops, breaks, switches, arrays. */
class Loops {
    static final int[] a = new int[3];
    static int x;

    @ThreadBody
    static void sum() {
        int sum = 0;
        for (int i = 0; i < a.length; i++) {
            if (a[i] == 7) {
                break;
            }
            sum += a[i];
        }
        x = sum;
    }

    @ThreadBody
    static void choose() {
        switch (x) {
            case 1:
                x = 10;
                break;
            case 100:
                x = 20;
            default:
                x = 30;
        }
        while (x != 0) {
            Thread.yield();
        }
    }
}
