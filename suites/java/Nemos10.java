// Test 10 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): MP (message passing).
// expect sc forbidden
// expect coherence allowed
// expect pram forbidden
// expect causal forbidden
// expect pc forbidden

import palisade.ThreadBody;

class Nemos10 {
    static int x = 0;
    static int y = 0;

    @ThreadBody
    static void p1() {
        x = 1;
        y = 1;
    }

    @ThreadBody
    static void p2() {
        int r1 = y;
        int r2 = x;
        assert r1 == 1;
        assert r2 == 0;
    }
}
