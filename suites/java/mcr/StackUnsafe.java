// Threads push and pop without synchronisation between asking and popping: the stack may run empty.
// expect sc fail
// expect tso fail
// expect pso fail
public class StackUnsafe {
    static final int[] elements = new int[4];
    static int top;

    static synchronized void push(int element) {
        elements[top++] = element;
    }

    static synchronized int pop() {
        if (top == 0) {
            throw new IllegalStateException("underflow");
        }
        return elements[--top];
    }

    static class Popper extends Thread {
        @Override
        public void run() {
            for (int i = 0; i < 2; i++) {
                if (top > 0) {
                    pop();
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        push(1);
        push(2);
        push(3);
        Thread first = new Popper();
        Thread second = new Popper();
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
