// A loop whose section is left early, by the loop's end, or by `return`.
// expect jmm-revised pass
// expect jmm_over pass
import palisade.ThreadBody;

public class ExitFromLoop {
    static int tickets = 1;
    static int sold;
    static final Object desk = new Object();

    static void sell() {
        for (int i = 0; i < 2; i++) {
            synchronized (desk) {
                if (tickets == 0) continue;
                tickets = 0;
                sold = sold + 1;
                return;
            }
        }
    }

    @ThreadBody
    static void one() {
        sell();
    }

    @ThreadBody
    static void two() {
        synchronized (desk) {
            if (tickets == 0) return;
            tickets = 0;
            sold = sold + 1;
        }
    }

    @ThreadBody(after = {"one", "two"})
    static void check() {
        assert sold == 1;
    }
}
