// The object that is called is another one than was read before.
// expect sc fail engine=axiomatic
// expect sc fail engine=operational
// expect jmm-original fail
// expect jmm-revised fail
// expect jmm_under fail
import palisade.ThreadBody;

public class DispatchRace {
    abstract static class Shape {
        abstract int area();
    }

    static class Small extends Shape {
        @Override
        int area() {
            return 1;
        }
    }

    static class Large extends Shape {
        @Override
        int area() {
            return 5;
        }
    }

    static final Shape SMALL = new Small();
    static final Shape LARGE = new Large();
    static Shape shape = SMALL;

    @ThreadBody
    static void one() {
        shape = LARGE;
    }

    @ThreadBody
    static void two() {
        int first = shape.area();
        int second = shape.area();
        assert first == second;
    }
}
