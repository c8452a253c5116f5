// Double-checked locking with a volatile reference: the write of it comes after the making of the object.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_under pass
public class DclVol {
    static class Helper {
        int number;

        Helper() {
            number = 42;
        }
    }

    private static volatile Helper helper;

    static Helper getHelper() {
        if (helper == null) {
            synchronized (DclVol.class) {
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
