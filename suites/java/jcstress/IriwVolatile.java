// outcomes sc: 0, 0, 0, 0 | 0, 0, 0, 1 | 0, 0, 1, 0 | 0, 0, 1, 1 | 0, 1, 0, 0 | 0, 1, 0, 1 | 0, 1, 1, 0 | 0, 1, 1, 1 | 1, 0, 0, 0 | 1, 0, 0, 1 | 1, 0, 1, 1 | 1, 1, 0, 0 | 1, 1, 0, 1 | 1, 1, 1, 0 | 1, 1, 1, 1
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = "1, 0, 1, 0", expect = Expect.FORBIDDEN, desc = "The readers disagree about the order of the writes")
@Outcome(expect = Expect.ACCEPTABLE)
@State
public class IriwVolatile {
    volatile int x;
    volatile int y;

    @Actor
    public void writesX() {
        x = 1;
    }

    @Actor
    public void writesY() {
        y = 1;
    }

    @Actor
    public void readsXFirst(IIII_Result r) {
        r.r1 = x;
        r.r2 = y;
    }

    @Actor
    public void readsYFirst(IIII_Result r) {
        r.r3 = y;
        r.r4 = x;
    }
}
