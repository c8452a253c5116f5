// Opaque reads do not go back, not even to what was there at first.
// outcomes sc: 0, 0 | 0, 1 | 1, 1
// outcomes java: 0, 0 | 0, 1 | 1, 1
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"0, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN)
@State
public class CoherentOpaque {
    static final java.lang.invoke.VarHandle X;

    static {
        try {
            X = java.lang.invoke.MethodHandles.lookup().findVarHandle(CoherentOpaque.class, "x", int.class);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    int x;

    @Actor
    public void writer() {
        X.setOpaque(this, 1);
    }

    @Actor
    public void reader(II_Result r) {
        r.r1 = (int) X.getOpaque(this);
        r.r2 = (int) X.getOpaque(this);
    }
}
