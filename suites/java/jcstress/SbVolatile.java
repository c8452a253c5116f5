// outcomes sc: 0, 1 | 1, 0 | 1, 1
// outcomes tso: 0, 1 | 1, 0 | 1, 1
// outcomes java: 0, 1 | 1, 0 | 1, 1
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "Volatile variables are sequentially consistent")
@State
public class SbVolatile {
    volatile int x;
    volatile int y;

    @Actor
    public void first(II_Result r) {
        x = 1;
        r.r1 = y;
    }

    @Actor
    public void second(II_Result r) {
        y = 1;
        r.r2 = x;
    }
}
