// outcomes sc: TERMINATED
// outcomes java: TERMINATED
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The flag is seen.")
@Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "The flag is never seen.")
@State
public class SpinVolatile {
    volatile boolean ready;

    @Actor
    public void waits() {
        while (!ready) {
        }
    }

    @Signal
    public void tells() {
        ready = true;
    }
}
