import palisade.ThreadBody;

/** Instance fields, final fields, objects made by a thread, constructors, longs beside ints. */
class Fields {
    static class Point {
        int x;
        volatile int y;
        final int z;

        Point(int z) {
            this.z = z;
        }
    }

    static class Tagged extends Point {
        long stamp = 7;

        Tagged() {
            super(3);
        }
    }

    static Point shared;
    static final Point origin = new Point(5);
    static Tagged tagged = new Tagged();

    @ThreadBody
    static void writer() {
        Point p = new Point(1);
        p.x = 2;
        p.y = 3;
        shared = p;
    }

    @ThreadBody
    static void reader() {
        Point p = shared;
        if (p != null) {
            int r1 = p.x;
            int r2 = p.z + origin.z;
        }
        long r3 = tagged.stamp;
    }
}
