// outcomes sc: 0, 1 | 1, 0
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "One of them puts")
@Outcome(expect = Expect.FORBIDDEN)
@State
public class MapPuts {
    final java.util.concurrent.ConcurrentHashMap<String, String> map = new java.util.concurrent.ConcurrentHashMap<>();

    @Actor
    public void first(II_Result r) {
        r.r1 = map.putIfAbsent("key", "a") == null ? 1 : 0;
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = map.putIfAbsent("key", "b") == null ? 1 : 0;
    }
}
