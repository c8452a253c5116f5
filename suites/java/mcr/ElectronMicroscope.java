// A position is replaced by a new object while another thread reads it. The loops of the original are endless.
// expect sc pass
// expect tso pass
// expect pso fail
public class ElectronMicroscope {
    static Point position = new Point(1, 2);

    static class Point {
        int x;
        int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    static class Reader extends Thread {
        void check(Point p) {
            synchronized (this) {}
            if (p.x + 1 != p.y) {
                System.out.println(p.x + " " + p.y);
                System.exit(1);
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < 2; i++) {
                check(position);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Reader reader = new Reader();
        reader.start();
        for (int i = 0; i < 2; i++) {
            position = new Point(position.x + 1, position.y + 1);
        }
        reader.join();
    }
}
