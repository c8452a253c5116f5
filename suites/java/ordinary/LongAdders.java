// Two threads add.
// expect sc pass
// expect jmm pass
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class LongAdders {

    public static void main(String[] args) throws Exception {
        LongAdder s = new LongAdder(); Thread a = new Thread(s::increment); a.start(); s.add(2); a.join();
        if (s.sum() != 3) throw new AssertionError(s.sum());
    }
}
