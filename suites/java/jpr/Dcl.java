// Double-checked locking in an object. What a thread gets without the lock may be half made.
// expect sc pass
// expect tso pass
// expect pso fail
// expect jmm_over fail
public class Dcl {
    static class Helper {
        int x;

        Helper() {
            x = 10;
        }
    }

    private Helper helper;

    Helper getHelper() {
        if (helper == null) {
            synchronized (this) {
                if (helper == null) {
                    helper = new Helper();
                }
            }
        }
        return helper;
    }

    static final Dcl shared = new Dcl();

    static class Client extends Thread {
        @Override
        public void run() {
            Helper found = shared.getHelper();
            assert found.x != 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Client first = new Client();
        Client second = new Client();
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
