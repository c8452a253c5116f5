// Fences of both sides order what is read through a reference; the monitor orders nothing here.
// outcomes sc: -1 | 7
// outcomes java: -1 | 7
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;
import java.lang.invoke.VarHandle;

@JCStressTest
@Outcome(id = {"-1", "7"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class FencedObject {
    static class Box {
        int value;

        Box() {
            value = 7;
            VarHandle.releaseFence();
        }

        synchronized int get() {
            return value;
        }
    }

    Box box;

    @Actor
    public void writer() {
        box = new Box();
    }

    @Actor
    public void reader(I_Result r) {
        Box seen = box;
        VarHandle.acquireFence();
        r.r1 = seen == null ? -1 : seen.get();
    }
}
