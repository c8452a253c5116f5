// Checked twice: what is read in acquire mode is complete.
// outcomes sc: 7, 7
// outcomes java: 7, 7
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;

@JCStressTest
@Outcome(id = "7, 7", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class AcquireReleaseOnce {
    static final java.lang.invoke.VarHandle BOX;

    static {
        try {
            BOX = java.lang.invoke.MethodHandles.lookup().findVarHandle(AcquireReleaseOnce.class, "box", Box.class);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    static class Box {
        int value;
    }

    Box box;

    Box get() {
        Box seen = (Box) BOX.getAcquire(this);
        if (seen == null) {
            synchronized (this) {
                seen = box;
                if (seen == null) {
                    seen = new Box();
                    seen.value = 7;
                    BOX.setRelease(this, seen);
                }
            }
        }
        return seen;
    }

    @Actor
    public void first(II_Result r) {
        r.r1 = get().value;
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = get().value;
    }
}
