// Test 3 of the Nemos tests (Yang, Gopalakrishnan, Lindstrom, Slind).
// expect sc allowed
// expect coherence allowed
// expect pram allowed
// expect causal allowed
// expect pc allowed

import palisade.ThreadBody;

class Nemos03 {
    static int a = 0;
    static int b = 0;
    static int c = 0;

    @ThreadBody
    static void p1() {
        b = 0;
    }

    @ThreadBody
    static void p2() {
        b = 1;
    }

    @ThreadBody
    static void p3() {
        int r1 = b;
        a = 0;
        int r2 = c;
        assert r1 == 0;
        assert r2 == 0;
    }

    @ThreadBody
    static void p4() {
        int r3 = b;
        int r4 = a;
        int r5 = c;
        assert r3 == 1;
        assert r4 == 0;
        assert r5 == 1;
    }

    @ThreadBody
    static void p5() {
        int r6 = c;
        int r7 = a;
        int r8 = b;
        assert r6 == 1;
        assert r7 == 1;
        assert r8 == 1;
    }

    @ThreadBody
    static void p6() {
        int r9 = c;
        a = 1;
        int r10 = b;
        assert r9 == 0;
        assert r10 == 0;
    }

    @ThreadBody
    static void p7() {
        c = 1;
    }

    @ThreadBody
    static void p8() {
        c = 0;
    }
}
