package java.util.concurrent;

import palisade.Machine;

/** Any number may come next. */
public final class ThreadLocalRandom {
    /** Choices among more numbers than this are refused. */
    private static final int MOST = 8;

    private static final ThreadLocalRandom ONLY = new ThreadLocalRandom();

    private ThreadLocalRandom() {}

    public static ThreadLocalRandom current() {
        return ONLY;
    }

    public int nextInt(int bound) {
        return nextInt(0, bound);
    }

    public int nextInt(int low, int bound) {
        if (bound <= low) {
            throw new IllegalArgumentException("bound must be positive");
        }
        if (bound - low > MOST) {
            Machine.refuse("a random number among more than eight");
        }
        for (int i = low; i < bound - 1; i++) {
            if (Machine.choose()) {
                return i;
            }
        }
        return bound - 1;
    }

    public boolean nextBoolean() {
        return Machine.choose();
    }

    static int getProbe() {
        return Thread.probe();
    }

    static void localInit() {
        Thread.setProbe(1);
    }

    static int advanceProbe(int probe) {
        probe ^= probe << 13;
        probe ^= probe >>> 17;
        probe ^= probe << 5;
        Thread.setProbe(probe);
        return probe;
    }

    static int nextSecondarySeed() {
        return 1;
    }
}
