// The electron microscope as it was published: neither thread ever ends. A position is replaced by a new object again and again
// while another thread reads it; on pso it may see one that is half made.
public class EndlessMicroscope {
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
            while (position == null) {}
            while (true) {
                check(position);
            }
        }
    }

    public static void main(String[] args) {
        new Reader().start();
        while (true) {
            position = new Point(position.x + 1, position.y + 1);
        }
    }
}
