// outcomes sc: STALE | TERMINATED
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
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE)
@Outcome(id = "STALE", expect = Expect.ACCEPTABLE_INTERESTING)
@State
public class ForksInARing {
    private final Object left = new Object();
    private final Object right = new Object();

    @Actor
    public void first() {
        synchronized (left) {
            synchronized (right) {
            }
        }
    }

    @Actor
    public void second() {
        synchronized (right) {
            synchronized (left) {
            }
        }
    }
}
