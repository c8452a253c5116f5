import palisade.ThreadBody;

/** Conditions of assertions, with and without memory in them. */
class Assertions {
    static int x;
    static int y;

    @ThreadBody
    static void conditions() {
        int r1 = x;
        int r2 = y;
        assert r1 == 1 && (r2 == 2 || r1 != r2) : "a message";
        assert !(r1 > r2);
        assert false;
        assert x == 1;
        assert x == 1 || y == 1;
        y = 3;
    }
}
