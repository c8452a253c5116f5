// Test 11 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): SB (store buffering).
// Causal: its authors expect it to be forbidden.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal allowed
// expect pc allowed

import palisade.ThreadBody;

class Nemos11 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void p1() {
        x = 1;
        int r1 = y;
        assert r1 == 0;
    }

    @ThreadBody
    static void p2() {
        y = 1;
        int r2 = x;
        assert r2 == 0;
    }
}
