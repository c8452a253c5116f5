// A volatile field is no final one: who gets the object by a race may find its supplier gone before it was there.
// outcomes sc: data | none
// outcomes java: data | empty | none
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.*;
import java.util.function.Supplier;

@JCStressTest
@Outcome(id = {"data", "none"}, expect = Expect.ACCEPTABLE)
@Outcome(id = "empty", expect = Expect.ACCEPTABLE_INTERESTING)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class RacyLazy {
    static class Box {
        final String text;

        Box(String text) {
            this.text = text;
        }
    }

    static class Once implements Supplier<Object> {
        boolean first = true;

        @Override
        public Object get() {
            if (!first) {
                throw new IllegalStateException();
            }
            first = false;
            return new Box("data");
        }
    }

    static class Lazy {
        volatile Supplier<Object> supplier;
        Object value;

        Lazy(Supplier<Object> supplier) {
            this.supplier = supplier;
        }

        Object get() {
            if (supplier == null) {
                return value;
            }
            synchronized (this) {
                if (supplier != null) {
                    value = supplier.get();
                    supplier = null;
                }
                return value;
            }
        }
    }

    Lazy lazy;

    static String text(Lazy lazy) {
        if (lazy == null) {
            return "none";
        }
        try {
            Box box = (Box) lazy.get();
            return box == null ? "empty" : box.text;
        } catch (IllegalStateException twice) {
            return "twice";
        } catch (RuntimeException wrong) {
            return "wrong";
        }
    }

    @Actor
    public void writer() {
        lazy = new Lazy(new Once());
    }

    @Actor
    public void reader(L_Result r) {
        r.r1 = text(lazy);
    }
}
