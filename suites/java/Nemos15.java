// Test 15 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind).
// Causal: its authors expect it to be forbidden.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal allowed
// expect pc forbidden

import palisade.ThreadBody;

class Nemos15 {
    static int a = 0;
    static int b = 0;
    static int c = 0;

    @ThreadBody
    static void p1() {
        a = 1;
        c = 1;
        int r1 = c;
        int r2 = b;
        assert r1 == 1;
        assert r2 == 0;
    }

    @ThreadBody
    static void p2() {
        b = 1;
        c = 2;
        int r3 = c;
        int r4 = a;
        assert r3 == 2;
        assert r4 == 0;
    }
}
