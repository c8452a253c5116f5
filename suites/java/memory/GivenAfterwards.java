// The object is given away after its constructor: its final field is never seen unwritten, while threads make others of its class.
// expect sc pass
// expect jmm pass
public class GivenAfterwards {
    static final class Box {
        final int value;

        Box(int value) {
            this.value = value;
        }
    }

    static volatile Box box;

    public static void main(String[] arguments) throws InterruptedException {
        Thread reader = new Thread(() -> {
            Box own = new Box(8);
            Box seen = box;
            assert seen == null || seen.value == 7 && own.value == 8;
        });
        reader.start();
        box = new Box(7);
        box = new Box(7);
        reader.join();
    }
}
