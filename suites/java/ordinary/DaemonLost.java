// The program is over before a daemon has done its work.
// expect sc fail
// expect jmm fail
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
public class DaemonLost {
    static volatile boolean done;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { done = true; });
        t.setDaemon(true); t.start();
        if (!done) throw new IllegalStateException("daemon was late");
    }
}
