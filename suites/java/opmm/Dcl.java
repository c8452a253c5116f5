// Double-checked locking. A reader that finds the reference without the lock may see the object half made.
// expect sc pass
// expect tso pass
// expect pso fail
// expect jmm_under fail
public class Dcl {
    static class Helper {
        int number;

        Helper() {
            number = 42;
        }
    }

    private static Helper helper;

    static Helper getHelper() {
        if (helper == null) {
            synchronized (Dcl.class) {
                if (helper == null) {
                    helper = new Helper();
                }
            }
        }
        return helper;
    }

    static class Client extends Thread {
        @Override
        public void run() {
            Helper found = getHelper();
            assert found.number == 42;
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
