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
@State
public class MpAcquireRelease {
    static final java.lang.invoke.VarHandle FLAG;

    static {
        try {
            FLAG = java.lang.invoke.MethodHandles.lookup().findVarHandle(MpAcquireRelease.class, "flag", int.class);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    int data;
    int flag;

    @Actor
    public void writer() {
        data = 1;
        FLAG.setRelease(this, 1);
    }

    @Actor
    public void reader(II_Result r) {
        r.r1 = (int) FLAG.getAcquire(this);
        r.r2 = data;
    }
}
