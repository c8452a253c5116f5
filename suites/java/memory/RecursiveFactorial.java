// What a method that calls itself computes of a constant is published by a volatile variable.
// expect sc pass engine=axiomatic
// expect sc pass engine=operational
// expect jmm-original pass
// expect jmm-revised pass
// expect jmm_over pass
import palisade.ThreadBody;

public class RecursiveFactorial {
    static int result;
    static volatile boolean isDone;

    static int factorial(int n) {
        if (n <= 1) {
            return 1;
        }
        return n * factorial(n - 1);
    }

    @ThreadBody
    static void compute() {
        result = factorial(5);
        isDone = true;
    }

    @ThreadBody
    static void use() {
        if (isDone) {
            assert result == 120;
        }
    }
}
