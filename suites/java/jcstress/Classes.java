// Results are shown as toString shows them.
// outcomes sc: 7 | class Classes | null
// outcomes java: 7 | class Classes | null
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"null", "7", "class Classes"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class Classes {
    volatile Object shared;

    @Actor
    public void number() {
        shared = 7;
    }

    @Actor
    public void own() {
        shared = getClass();
    }

    @Actor
    public void reader(L_Result r) {
        r.r1 = shared;
    }
}
