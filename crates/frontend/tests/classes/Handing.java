/** `main` reads while a thread runs and uses the value once it has joined it. */
class Handing {
    static int x;

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> x = 1);
        t.start();
        int r = x;
        t.join();
        assert r == 1;
    }
}
