// A text that the test makes has no name: nothing is said of the outcomes that it may be.
// outcomes sc: object
// outcomes java: object
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"7", "8"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class MadeText {
    volatile int count = 7;

    @Actor
    public void one() {
        count++;
    }

    @Actor
    public void other(L_Result r) {
        r.r1 = String.valueOf(count);
    }
}
