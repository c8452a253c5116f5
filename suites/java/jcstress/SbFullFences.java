// outcomes sc: 0, 1 | 1, 0 | 1, 1
// outcomes tso: 0, 1 | 1, 0 | 1, 1
// outcomes java: 0, 1 | 1, 0 | 1, 1
// outcomes pso: 0, 1 | 1, 0 | 1, 1
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN)
@State
public class SbFullFences {
    int x;
    int y;

    @Actor
    public void first(II_Result r) {
        x = 1;
        java.lang.invoke.VarHandle.fullFence();
        r.r1 = y;
    }

    @Actor
    public void second(II_Result r) {
        y = 1;
        java.lang.invoke.VarHandle.fullFence();
        r.r2 = x;
    }
}
