// Players are taken from a list by threads. A player is set to null by one thread and used by another.
// expect sc fail
// expect tso fail
// expect pso fail
import java.util.ArrayList;
import java.util.List;

public class PingPong {
    static class Player {
        private int points;

        int getPoints() {
            return points;
        }

        void hit() {
            points++;
        }
    }

    private Player player = new Player();
    private final List<String> log = new ArrayList<>();

    void play(int number) {
        if (player == null) {
            return;
        }
        player.hit();
        synchronized (log) {
            log.add("thread " + number);
        }
        player = null;
    }

    static class Table extends Thread {
        private final PingPong game;
        private final int number;

        Table(PingPong game, int number) {
            this.game = game;
            this.number = number;
        }

        @Override
        public void run() {
            game.play(number);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        PingPong game = new PingPong();
        Table[] tables = new Table[5];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = new Table(game, i);
            tables[i].start();
        }
        for (Table table : tables) {
            table.join();
        }
    }
}
