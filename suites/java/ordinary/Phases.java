// Two threads meet at a Phaser: what each wrote before, the other one reads after.
// expect sc pass
// expect jmm pass
import java.util.concurrent.Phaser;

public class Phases {
    public static void main(String[] args) throws InterruptedException {
        Phaser phaser = new Phaser(2);
        int[] cells = new int[2];
        Thread first = new Thread(() -> {
            cells[0] = 1;
            phaser.arriveAndAwaitAdvance();
            assert cells[1] == 2;
        });
        Thread second = new Thread(() -> {
            cells[1] = 2;
            phaser.arriveAndAwaitAdvance();
            assert cells[0] == 1;
        });
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
