// Test 2 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind): LB (load buffering).
// expect sc forbidden
// expect coherence allowed
// expect pram allowed
// expect causal forbidden
// expect pc allowed

import palisade.ThreadBody;

class Nemos02 {
    static int a = 0;
    static int b = 0;

    @ThreadBody
    static void p1() {
        int r1 = b;
        a = 1;
        assert r1 == 1;
    }

    @ThreadBody
    static void p2() {
        int r2 = a;
        b = 1;
        assert r2 == 1;
    }
}
