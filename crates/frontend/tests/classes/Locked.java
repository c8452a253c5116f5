/** `main` starts a thread while it holds a monitor. */
class Locked {
    static int x;

    public static void main(String[] args) {
        synchronized (Locked.class) {
            new Thread(() -> x = 1).start();
        }
    }
}
