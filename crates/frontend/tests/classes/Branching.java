/** Whether `main` starts a thread depends on what another thread does. */
class Branching {
    static int x;

    public static void main(String[] args) {
        new Thread(() -> x = 1).start();
        if (x == 1) {
            new Thread(() -> x = 2).start();
        }
    }
}
