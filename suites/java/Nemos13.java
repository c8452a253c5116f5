// Test 13 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): IRIW.
// Causal: its authors expect it to be forbidden.
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal allowed
// expect pc allowed

import palisade.ThreadBody;

class Nemos13 {
    static int a = 0;
    static int b = 0;

    @ThreadBody
    static void p1() {
        a = 1;
    }

    @ThreadBody
    static void p2() {
        int r1 = a;
        int r2 = b;
        assert r1 == 1;
        assert r2 == 0;
    }

    @ThreadBody
    static void p3() {
        b = 1;
    }

    @ThreadBody
    static void p4() {
        int r3 = b;
        int r4 = a;
        assert r3 == 1;
        assert r4 == 0;
    }
}
