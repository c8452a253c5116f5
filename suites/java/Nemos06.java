// Test 6 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): coherence violation: each thread reads the other write after its own.
// expect sc forbidden
// expect coherence forbidden
// expect pram allowed
// expect causal allowed
// expect pc forbidden

import palisade.ThreadBody;

class Nemos06 {
    static int x = 0;

    @ThreadBody
    static void p1() {
        x = 0;
        int r1 = x;
        assert r1 == 1;
    }

    @ThreadBody
    static void p2() {
        x = 1;
        int r2 = x;
        assert r2 == 0;
    }
}
