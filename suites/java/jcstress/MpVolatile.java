// outcomes sc: 0, 0 | 0, 1 | 1, 1
// outcomes pso: 0, 0 | 0, 1 | 1, 1
// outcomes java: 0, 0 | 0, 1 | 1, 1
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"0, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN)
public class MpVolatile {
    @State
    public static class Shared {
        int data;
        volatile int flag;
    }

    @Actor
    public void writer(Shared s) {
        s.data = 1;
        s.flag = 1;
    }

    @Actor
    public void reader(Shared s, II_Result r) {
        r.r1 = s.flag;
        r.r2 = s.data;
    }
}
