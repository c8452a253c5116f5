// `FinalPublished` and `PlainPublished` with threads that `main` starts.
// expect jmm-revised fail
// expect pso pass engine=operational,mcr
// expect jmm_under fail
// expect jmm_over fail
public class StartedFinal {
    static class Point {
        final int x;
        int y;

        Point() {
            x = 1;
            y = 2;
        }
    }

    static Point shared;

    public static void main(String[] args) throws InterruptedException {
        Thread publisher = new Thread(() -> { shared = new Point(); });
        Thread reader = new Thread(() -> {
            Point point = shared;
            if (point != null) {
                assert point.y == 2 || point.x != 1;
            }
        });
        publisher.start();
        reader.start();
        publisher.join();
        reader.join();
    }
}
