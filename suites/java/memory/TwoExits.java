// A synchronized method with two exits: only one thread gets what is free.
// expect jmm-revised pass
// expect jmm-original pass
// expect jmm_over pass
// expect jmm_under pass
import palisade.ThreadBody;

public class TwoExits {
    static boolean free = true;
    static int first, second;

    static synchronized boolean take() {
        if (free) {
            free = false;
            return true;
        }
        return false;
    }

    @ThreadBody
    static void one() {
        if (take()) first = 1;
    }

    @ThreadBody
    static void two() {
        if (take()) second = 1;
    }

    @ThreadBody(after = {"one", "two"})
    static void check() {
        assert first + second == 1;
    }
}
