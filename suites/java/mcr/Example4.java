// The making of a point, reduced to its writes, 4 times; `z` tells that it is made. Another thread looks at it as often. A
// point that is half made is shown, which reads it again, and the thread goes on.
// From the second round on the writer takes the point apart again while the reader looks at it.
// expect sc fail
// expect tso fail
// expect pso fail
public class Example4 {
    static int x;
    static int y;
    static int z;
    static int shownX;
    static int shownY;
    static boolean wrong;

    static class Reader implements Runnable {
        @Override
        public void run() {
            for (int i = 0; i < 4; i++) {
                if (z == 1) {
                    if (x + 1 != y) {
                        shownX = x;
                        shownY = y;
                        wrong = true;
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(new Reader());
        reader.start();
        for (int i = 0; i < 4; i++) {
            z = 0;
            x = 0;
            y = 0;
            x = 2;
            y = 3;
            z = 1;
        }
        reader.join();
        assert !wrong;
    }
}
