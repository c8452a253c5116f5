// A constructor gives its object away before that of the subclass writes a final field. Another thread can have the object then, and
// see what is written afterwards: 7 can only be written once it has said that it has the object.
// expect sc fail
// expect jmm_under fail
// expect jmm fail
public class LeakedBySuper {
    static class Base {
        static volatile Derived seen;

        Base() {
            seen = (Derived) this;
        }
    }

    static class Derived extends Base {
        final int value;

        Derived() {
            super();
            value = got ? 7 : 8;
        }
    }

    static volatile boolean got;

    public static void main(String[] arguments) throws InterruptedException {
        Thread reader = new Thread(() -> {
            Derived derived = Base.seen;
            if (derived != null) {
                got = true;
                assert derived.value != 7;
            }
        });
        reader.start();
        new Derived();
        reader.join();
    }
}
