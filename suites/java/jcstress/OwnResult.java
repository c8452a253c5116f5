// What the text of its result is, only the class itself knows: it is refused.
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Result;
import org.openjdk.jcstress.annotations.State;

@JCStressTest
@Outcome(id = "5:6", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class OwnResult {
    volatile int five = 5;

    @Result
    public static class Pair {
        int first;
        int second;

        @Override
        public String toString() {
            return first + ":" + second;
        }
    }

    @Actor
    public void reads(Pair result) {
        result.first = five;
    }

    @Actor
    public void writes(Pair result) {
        result.second = 6;
    }
}
