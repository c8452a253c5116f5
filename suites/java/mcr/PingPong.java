// Threads play with one player. It is set to null by one thread while another still uses it.
// expect sc fail
// expect tso fail
// expect pso fail
public class PingPong {
    static class Player {
        private int points;

        void hit() {
            points++;
        }
    }

    private Player player = new Player();

    void play() {
        if (player == null) {
            return;
        }
        player.hit();
        player = null;
    }

    static class Table extends Thread {
        private final PingPong game;

        Table(PingPong game) {
            this.game = game;
        }

        @Override
        public void run() {
            game.play();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        PingPong game = new PingPong();
        Table[] tables = new Table[5];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = new Table(game);
            tables[i].start();
        }
        for (Table table : tables) {
            table.join();
        }
    }
}
