// Blocks of a vector are given to threads. Finding a free block and taking it are two steps, so that two threads may get the
// same one and free it twice.
// expect sc fail
// expect tso fail
// expect pso fail
public class Allocation {
    static class AllocationVector {
        private final char[] blocks;

        AllocationVector(int size) {
            blocks = new char[size];
            for (int i = 0; i < size; i++) {
                blocks[i] = 'F';
            }
        }

        synchronized int getFreeBlock() {
            for (int i = 0; i < blocks.length; i++) {
                if (blocks[i] == 'F') {
                    return i;
                }
            }
            return -1;
        }

        synchronized void markAsAllocated(int block) {
            if (blocks[block] == 'A') {
                throw new IllegalStateException("Allocation");
            }
            blocks[block] = 'A';
        }

        synchronized void markAsFree(int block) {
            if (blocks[block] == 'F') {
                throw new IllegalStateException("Freeing");
            }
            blocks[block] = 'F';
        }
    }

    static class User extends Thread {
        private final AllocationVector vector;
        private final int[] results;

        User(AllocationVector vector, int count) {
            this.vector = vector;
            results = new int[count];
        }

        @Override
        public void run() {
            for (int i = 0; i < results.length; i++) {
                results[i] = vector.getFreeBlock();
                if (results[i] != -1) {
                    vector.markAsAllocated(results[i]);
                }
            }
            for (int i = 0; i < results.length; i++) {
                if (results[i] != -1) {
                    vector.markAsFree(results[i]);
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        AllocationVector vector = new AllocationVector(4);
        User first = new User(vector, 2);
        User second = new User(vector, 2);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
