// Test 5 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): MP with explicit zero store.
// expect sc forbidden
// expect coherence allowed
// expect pram forbidden
// expect causal forbidden
// expect pc forbidden

import palisade.ThreadBody;

class Nemos05 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void p1() {
        x = 0;
        x = 1;
        y = 2;
    }

    @ThreadBody
    static void p2() {
        int r1 = y;
        int r2 = x;
        assert r1 == 2;
        assert r2 == 0;
    }
}
