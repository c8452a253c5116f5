// Lamport's fast mutual exclusion for two threads with bounded busy loops: 4 shared variables, and `inside`.
// A loop that gives up enters.
// expect sc fail
// expect tso fail
// expect pso fail
public class Lamport {
    static int flag1;
    static int flag2;
    static int x;
    static int y;
    static int inside;

    static class First implements Runnable {
        @Override
        public void run() {
            int tries = 0;
            while (true) {
                flag1 = 1;
                x = 1;
                if (y != 0) {
                    flag1 = 0;
                    int n = 0;
                    while (y != 0) {
                        if (n++ > 1) {
                            break;
                        }
                    }
                    if (tries++ > 1) {
                        break;
                    }
                    continue;
                }
                y = 1;
                if (x != 1) {
                    flag1 = 0;
                    int n = 0;
                    while (flag2 == 1) {
                        if (n++ > 1) {
                            break;
                        }
                    }
                    if (y != 1) {
                        int m = 0;
                        while (y != 0) {
                            if (m++ > 1) {
                                break;
                            }
                        }
                        if (tries++ > 1) {
                            break;
                        }
                        continue;
                    }
                }
                break;
            }
            inside = 1;
            assert inside == 1;
            y = 0;
            flag1 = 0;
        }
    }

    static class Second implements Runnable {
        @Override
        public void run() {
            int tries = 0;
            while (true) {
                flag2 = 1;
                x = 2;
                if (y != 0) {
                    flag2 = 0;
                    int n = 0;
                    while (y != 0) {
                        if (n++ > 1) {
                            break;
                        }
                    }
                    if (tries++ > 1) {
                        break;
                    }
                    continue;
                }
                y = 2;
                if (x != 2) {
                    flag2 = 0;
                    int n = 0;
                    while (flag1 == 1) {
                        if (n++ > 1) {
                            break;
                        }
                    }
                    if (y != 2) {
                        int m = 0;
                        while (y != 0) {
                            if (m++ > 1) {
                                break;
                            }
                        }
                        if (tries++ > 1) {
                            break;
                        }
                        continue;
                    }
                }
                break;
            }
            inside = 2;
            assert inside == 2;
            y = 0;
            flag2 = 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(new First());
        Thread second = new Thread(new Second());
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
