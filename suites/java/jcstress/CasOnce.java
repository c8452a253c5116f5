// outcomes sc: 0, 1 | 1, 0
// outcomes tso: 0, 1 | 1, 0
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "One of them succeeds")
@Outcome(expect = Expect.FORBIDDEN)
@State
public class CasOnce {
    static final java.util.concurrent.atomic.AtomicIntegerFieldUpdater<CasOnce> OWNER =
            java.util.concurrent.atomic.AtomicIntegerFieldUpdater.newUpdater(CasOnce.class, "owner");

    volatile int owner;

    @Actor
    public void first(II_Result r) {
        r.r1 = OWNER.compareAndSet(this, 0, 1) ? 1 : 0;
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = OWNER.compareAndSet(this, 0, 2) ? 1 : 0;
    }
}
