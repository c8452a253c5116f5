// The same as FinalField without final fields: who sees the object may see them unset.
// expect sc pass
// expect tso pass
// expect pso fail
// expect jmm_under fail
// expect jmm_over fail
public class PlainField {
    static class Box {
        int number;
        int[] more;

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
