// outcomes sc: TERMINATED
// outcomes java: STALE | TERMINATED
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
@Outcome(id = "STALE", expect = Expect.ACCEPTABLE_INTERESTING, desc = "The flag is never seen.")
@State
public class SpinPlain {
    boolean ready;

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
