import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The author takes plain variables for volatile ones. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN)
@Outcome(expect = Expect.ACCEPTABLE)
@State
public class Wrong {
    int x;
    int y;

    @Actor
    public void first(II_Result r) {
        x = 1;
        r.r1 = y;
    }

    @Actor
    public void second(II_Result r) {
        y = 1;
        r.r2 = x;
    }
}
