// Two threads set a flag; one that waits for the first value, and counts, may come too late for it. The solver sees that it may
// stay in its loop, and leaves it to the machines to say how.
// expect sc,tso,pso fail engine=operational,mcr
// expect sc,tso,pso unknown engine=axiomatic
// expect jmm fail

public class CountedForever {
    static volatile int flag;

    public static void main(String[] arguments) throws InterruptedException {
        Thread looks = new Thread(() -> {
            int times = 0;
            while (flag != 3) {
                times++;
            }
        });
        Thread other = new Thread(() -> flag = 2);
        looks.start();
        other.start();
        flag = 3;
        looks.join();
    }
}
