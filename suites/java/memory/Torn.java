// A plain long may tear (JLS 17.7).
// expect jmm-revised pass
// expect jmm-revised fail --tearing
// expect jmm-original fail --tearing
// expect sc pass engine=operational,mcr
// expect sc fail --tearing engine=operational,mcr
// expect tso fail --tearing engine=operational,mcr
// expect pso fail --tearing engine=operational,mcr
// expect jmm_under fail --tearing
// expect jmm_over fail --tearing
import palisade.ThreadBody;

public class Torn {
    static long total = 0x100000002L;

    @ThreadBody
    static void write() {
        total = 0x300000004L;
    }

    @ThreadBody
    static void read() {
        long seen = total;
        assert seen == 0x100000002L || seen == 0x300000004L;
    }
}
