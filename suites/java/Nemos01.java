// Test 1 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind).
// expect sc allowed
// expect coherence allowed
// expect pram allowed
// expect causal allowed
// expect pc allowed

import palisade.ThreadBody;

class Nemos01 {
    static int a = 0;

    @ThreadBody
    static void p1() {
        int r1 = a;
        assert r1 == 0;
    }

    @ThreadBody
    static void p2() {
        a = 0;
    }
}
