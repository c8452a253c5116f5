// Blocks beside each other have a variable of one name, of which each is an array whose length is known, while another array is shorter.
// expect sc,tso,pso pass engine=axiomatic,operational,mcr
// expect jmm-revised,jmm-original pass
// expect jmm_over pass
import palisade.ThreadBody;

public class Siblings {
    static int first;
    static int second;
    static int[] shorter;

    @ThreadBody
    static void both() {
        int sum = 0;
        {
            int[] numbers = new int[2];
            numbers[1] = 3;
            sum = numbers[0] + numbers[1];
        }
        first = sum;
        {
            int[] numbers = new int[3];
            numbers[2] = 4;
            sum = numbers[1] + numbers[2];
        }
        second = sum;
    }

    @ThreadBody
    static void other() {
        shorter = new int[1];
    }

    @ThreadBody(after = {"both", "other"})
    static void after() {
        assert first == 3 && second == 4 : "sums";
    }
}
