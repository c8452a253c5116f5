// outcomes sc: 2
// outcomes tso: 2
// outcomes java: 2
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class AtomicIncrements {
    final java.util.concurrent.atomic.AtomicInteger count = new java.util.concurrent.atomic.AtomicInteger();

    @Actor
    public void first() {
        count.incrementAndGet();
    }

    @Actor
    public void second() {
        count.getAndIncrement();
    }

    @Arbiter
    public void arbiter(I_Result r) {
        r.r1 = count.get();
    }
}
