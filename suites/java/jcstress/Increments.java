// outcomes sc: 1 | 2
// outcomes tso: 1 | 2
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE_INTERESTING, desc = "An increment is lost")
@Outcome(id = "2", expect = Expect.ACCEPTABLE)
@State
public class Increments {
    int count;

    @Actor
    public void first() {
        count++;
    }

    @Actor
    public void second() {
        count++;
    }

    @Arbiter
    public void arbiter(I_Result r) {
        r.r1 = count;
    }
}
