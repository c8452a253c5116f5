// The making of a point, reduced to its writes, 4 times; `z` tells that it is made. Another thread looks at it as often.
// The second round takes the point apart again.
// expect sc fail
// expect tso fail
// expect pso fail
public class Example4 {
    static int x;
    static int y;
    static int z;

    static class Reader implements Runnable {
        @Override
        public void run() {
            for (int i = 0; i < 4; i++) {
                if (z == 1) {
                    assert x + 1 == y;
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
    }
}
