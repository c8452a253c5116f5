// A thread counts how often it looks at a flag, and nobody reads what it counts: it waits.
// expect sc,tso,pso pass engine=operational,mcr,axiomatic
// expect jmm pass

public class CountedWait {
    static volatile int flag;

    public static void main(String[] arguments) throws InterruptedException {
        Thread looks = new Thread(() -> {
            int times = 0;
            while (flag != 3) {
                times++;
            }
        });
        looks.start();
        flag = 3;
        looks.join();
    }
}
