// Neither a volatile long tears, nor one that a monitor guards, nor a final one of an object that is published by a race.
// expect sc pass --tearing engine=operational,mcr
// expect jmm_under pass --tearing
// expect jmm_over pass --tearing
public class NotTorn {
    static volatile long now = 0x100000001L;
    static long guarded;

    static class Stamp {
        final long at;

        Stamp(long at) {
            this.at = at;
        }
    }

    static Stamp stamp;

    static synchronized void put(long value) {
        guarded = value;
    }

    static synchronized long get() {
        return guarded;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> {
            now = 0x200000002L;
            put(-1);
            stamp = new Stamp(0x700000007L);
        });
        writer.start();
        long seen = now;
        assert seen == 0x100000001L || seen == 0x200000002L;
        long sum = get();
        assert sum == 0 || sum == -1;
        Stamp found = stamp;
        if (found != null) assert found.at == 0x700000007L;
        writer.join();
    }
}
