// outcomes sc: 0, 0 | 0, 1 | 1, 0
// outcomes tso: 0, 0 | 0, 1 | 1, 0
// outcomes java: 0, 0 | 0, 1 | 1, 0 | 1, 1
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Java allows both reads to see the writes that come after them; the bounds leave that open. */
@JCStressTest
@Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = Expect.ACCEPTABLE)
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE_INTERESTING)
@State
public class LbPlain {
    int x;
    int y;

    @Actor
    public void first(II_Result r) {
        r.r1 = x;
        y = 1;
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = y;
        x = 1;
    }
}
