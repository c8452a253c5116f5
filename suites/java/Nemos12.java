// Test 12 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): WRC.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed

import palisade.ThreadBody;

class Nemos12 {
    static int a = 0;
    static int b = 0;

    @ThreadBody
    static void p1() {
        a = 1;
    }

    @ThreadBody
    static void p2() {
        int r1 = a;
        b = 1;
        assert r1 == 1;
    }

    @ThreadBody
    static void p3() {
        int r2 = b;
        int r3 = a;
        assert r2 == 1;
        assert r3 == 0;
    }
}
