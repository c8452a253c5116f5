// Actor and state of the class above; outcomes are regular expressions.
// outcomes sc: 1 | 2
// outcomes tso: 1 | 2
// outcomes java: 1 | 2
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = "(1|[2-3])", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class Inherited extends InheritedCounter {
    @Actor
    public void other() {
        count++;
    }

    @Arbiter
    public void end(I_Result r) {
        r.r1 = count;
    }
}

class InheritedCounter {
    int count;

    @Actor
    public void one() {
        count++;
    }
}
