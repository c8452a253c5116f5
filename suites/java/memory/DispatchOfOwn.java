// Threads that make the objects themselves may call any of several methods, which annotated threads do not have.
// expect error which may be DispatchOfOwn$Small.area or DispatchOfOwn$Large.area
import palisade.ThreadBody;

public class DispatchOfOwn {
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
            return 5;
        }
    }

    static Shape shape = new Small();

    @ThreadBody
    static void one() {
        shape = new Large();
    }

    @ThreadBody
    static void two() {
        int area = shape.area();
        assert area == 1;
    }
}
