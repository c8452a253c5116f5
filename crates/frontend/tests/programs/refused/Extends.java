// expect error `java.util.TimerTask`, which `Extends` extends, is not supported
import java.util.TimerTask;

/** A parent that the library does not have. */
public class Extends extends TimerTask {
    @Override
    public void run() {}

    public static void main(String[] args) {
        new Extends().run();
    }
}
