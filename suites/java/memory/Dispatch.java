// A call of a method that two classes implement: which one runs says the object, whatever is read.
// expect sc pass engine=axiomatic
// expect sc pass engine=operational
// expect jmm-original pass
// expect jmm-revised pass
// expect jmm_over pass
import palisade.ThreadBody;

public class Dispatch {
    interface Shape {
        int area();
    }

    static class Small implements Shape {
        public int area() {
            return 1;
        }
    }

    static class Large implements Shape {
        public int area() {
            seen = 1;
            return 5;
        }
    }

    static final Shape SMALL = new Small();
    static final Shape LARGE = new Large();
    static Shape shape = SMALL;
    static int seen;

    @ThreadBody
    static void one() {
        shape = LARGE;
    }

    @ThreadBody
    static void two() {
        int area = shape.area();
        assert area == 1 || area == 5;
        assert area == 1 || seen == 1;
    }
}
