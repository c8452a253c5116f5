// Java PathRelaxer's figure 13: under sc x is never written, so that it has no data race. A read of y that sees the write still to come
// lets it be written.
// expect sc pass
// expect jmm_over unknown
import palisade.ThreadBody;

public class HiddenRace {
    static int x;
    static int y;
    static int z;

    @ThreadBody
    static void one() {
        int r1 = z;
        if (r1 == 1) {
            x = 1;
        }
        y = 1;
    }

    @ThreadBody
    static void two() {
        int r2 = y;
        z = r2;
        int r3 = x;
        assert r3 == 0;
    }
}
