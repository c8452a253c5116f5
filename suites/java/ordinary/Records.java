// Records as values that one thread publishes through a volatile field.
// expect sc pass
public class Records {
    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("negative");
            }
        }

        int sum() {
            return x + y;
        }
    }

    static volatile Point shared;

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> shared = new Point(1, 2));
        writer.start();
        Point seen = shared;
        if (seen != null && !seen.equals(new Point(1, 2))) {
            throw new IllegalStateException(seen.toString());
        }
        writer.join();
        System.out.println(shared + " " + shared.sum() + " " + (shared.hashCode() == new Point(1, 2).hashCode()));
    }
}
