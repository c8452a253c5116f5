// outcomes sc: TERMINATED
// outcomes java: TERMINATED
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The flag is seen.")
@Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "The flag is never seen.")
@State
public class SpinOpaque {
    static final java.lang.invoke.VarHandle READY;

    static {
        try {
            READY = java.lang.invoke.MethodHandles.lookup().findVarHandle(SpinOpaque.class, "ready", boolean.class);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    boolean ready;

    @Actor
    public void waits() {
        while (!(boolean) READY.getOpaque(this)) {
        }
    }

    @Signal
    public void tells() {
        READY.setOpaque(this, true);
    }
}
