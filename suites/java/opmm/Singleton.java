// A singleton that takes the lock whenever it is asked for.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_under pass
public class Singleton {
    private static Singleton instance;

    int number;

    private Singleton() {
        number = 42;
    }

    static synchronized Singleton getInstance() {
        if (instance == null) {
            instance = new Singleton();
        }
        return instance;
    }

    static class Client extends Thread {
        @Override
        public void run() {
            Singleton found = getInstance();
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
