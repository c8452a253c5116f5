// Two classes whose initialisers use each other, first used by two threads: each may wait for the other.
// expect sc fail
// expect jmm fail
public class InitialiserDeadlock {
    static class Left {
        static int value = Right.value + 1;
    }

    static class Right {
        static int value = Left.value + 1;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> System.out.println(Left.value));
        other.start();
        System.out.println(Right.value);
        other.join();
    }
}
