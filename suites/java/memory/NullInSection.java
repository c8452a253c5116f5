// An exception that nothing catches leaves the section that it comes up in.
// expect sc fail engine=axiomatic
// expect sc fail engine=operational
// expect sc allowed engine=axiomatic question=possible
// expect sc allowed engine=operational question=possible
// expect jmm-revised fail
// expect jmm_under fail
import palisade.ThreadBody;

public class NullInSection {
    static class Box {
        int number;
    }

    static final Object LOCK = new Object();
    static Box box;

    @ThreadBody
    static void one() {
        synchronized (LOCK) {
            box.number = 1;
        }
    }

    @ThreadBody
    static void two() {
        synchronized (LOCK) {
            box = new Box();
        }
    }
}
