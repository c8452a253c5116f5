// An object with final fields gets to another thread by a data race. Who sees it sees its fields as the constructor left them,
// and what they lead to.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_under pass
// expect jmm_over pass
public class FinalField {
    static class Box {
        final int number;
        final int[] more;

        Box() {
            number = 42;
            more = new int[1];
            more[0] = 7;
        }
    }

    static Box shared;

    static class Client extends Thread {
        @Override
        public void run() {
            Box box = shared;
            if (box != null) {
                assert box.number == 42;
                assert box.more[0] == 7;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Client client = new Client();
        client.start();
        shared = new Box();
        client.join();
    }
}
