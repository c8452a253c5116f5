// An object that is made behind a weak read; what its constructor writes is read back.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_under fail
// expect jmm_over fail
public class Made {
    static final class Node {
        int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    static int flag;

    static int length(Node list) {
        int length = 0;
        for (Node node = list; node != null; node = node.next) {
            length += node.value;
        }
        return length;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> flag = 1);
        Thread reader = new Thread(() -> {
            int later = flag;
            int earlier = flag;
            if (later == 1 && earlier == 0) {
                Node list = new Node(1, new Node(1, null));
                if (length(list) == 2) {
                    throw new IllegalStateException("the flag went back");
                }
            }
        });
        writer.start();
        reader.start();
        writer.join();
        reader.join();
    }
}
