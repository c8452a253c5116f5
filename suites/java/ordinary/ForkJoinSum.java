// Tasks that fork and join.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class ForkJoinSum {
    static class Sum extends RecursiveTask<Integer> {
        final int[] d; final int lo, hi; Sum(int[] d, int lo, int hi) { this.d = d; this.lo = lo; this.hi = hi; }
        protected Integer compute() { if (hi - lo <= 2) { int s = 0; for (int i = lo; i < hi; i++) s += d[i]; return s; }
            int mid = (lo + hi) / 2; Sum l = new Sum(d, lo, mid), r = new Sum(d, mid, hi); l.fork(); return r.compute() + l.join(); } }
    public static void main(String[] args) throws Exception {
        int[] data = {1, 2, 3, 4};
        int s = new ForkJoinPool(2).invoke(new Sum(data, 0, 4));
        if (s != 10) throw new AssertionError(s);
    }
}
