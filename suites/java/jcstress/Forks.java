// Termination is asked for without a signal, too.
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
import org.openjdk.jcstress.infra.results.*;

@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE)
@Outcome(id = "STALE", expect = Expect.FORBIDDEN)
@State
public class Forks {
    private final Object[] forks = {new Object(), new Object(), new Object()};

    @Actor
    public void first() {
        eat(0, 1);
    }

    @Actor
    public void second() {
        eat(1, 2);
    }

    @Actor
    public void third() {
        eat(0, 2);
    }

    private void eat(int left, int right) {
        synchronized (forks[left]) {
            synchronized (forks[right]) {
            }
        }
    }
}
