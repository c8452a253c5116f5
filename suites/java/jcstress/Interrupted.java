// A signal takes the thread of the actor, which ends once it is interrupted.
// outcomes sc: TERMINATED
// outcomes tso: TERMINATED
// outcomes java: TERMINATED
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE)
@Outcome(id = "STALE", expect = Expect.FORBIDDEN)
@State
public class Interrupted {
    @Actor
    public void waits() {
        while (!Thread.currentThread().isInterrupted()) {
            Thread.yield();
        }
    }

    @Signal
    public void interrupts(Thread actor) {
        actor.interrupt();
    }
}
