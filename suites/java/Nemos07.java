// Test 7 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): SB with intervening same-variable stores.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal allowed
// expect pc forbidden

import palisade.ThreadBody;

class Nemos07 {
    static int x = 0;
    static int y = 0;
    static int z = 0;

    @ThreadBody
    static void p1() {
        x = 0;
        x = 1;
        z = 0;
        int r1 = y;
        assert r1 == 0;
    }

    @ThreadBody
    static void p2() {
        y = 0;
        y = 1;
        z = 1;
        int r2 = x;
        assert r2 == 0;
    }
}
