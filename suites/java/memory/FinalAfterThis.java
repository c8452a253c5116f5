// A field is frozen where the constructor ends that sets it: what is written afterwards, by one that calls it, is not.
// expect jmm-revised fail
// expect jmm_over fail
import palisade.ThreadBody;

public class FinalAfterThis {
    static class Table {
        final int[] cells;

        Table(int length) {
            cells = new int[1];
        }

        Table() {
            this(1);
            cells[0] = 7;
        }
    }

    static Table shared;

    @ThreadBody
    static void publish() {
        shared = new Table();
    }

    @ThreadBody
    static void read() {
        Table table = shared;
        if (table != null) {
            assert table.cells[0] == 7;
        }
    }
}
