// What is reached through a final field, and was written before the constructor ended, is seen too.
// expect jmm-revised pass
// expect jmm-original pass
// expect pso pass engine=operational,mcr
// expect jmm_under pass
// expect jmm_over pass
import palisade.ThreadBody;

public class FinalArray {
    static class Table {
        final int[] cells;

        Table(int value) {
            cells = new int[2];
            cells[0] = value;
        }
    }

    static Table shared;

    @ThreadBody
    static void publish() {
        shared = new Table(7);
    }

    @ThreadBody
    static void read() {
        Table table = shared;
        if (table != null) {
            assert table.cells[0] == 7;
        }
    }
}
