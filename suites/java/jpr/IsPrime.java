// Threads share an array of primes that they have found, without synchronisation. Who misses one divides by more numbers, but
// always answers rightly.
// expect sc pass
// expect tso pass
// expect pso pass
// expect jmm_over pass
public class IsPrime {
    static final int[] primes = new int[4];

    static boolean isPrime(int number) {
        if (number % 2 == 0) {
            return number == 2;
        }
        for (int divisor = 3; divisor * divisor <= number; divisor += 2) {
            if (primes[number % primes.length] == number) {
                return true;
            }
            if (number % divisor == 0) {
                return false;
            }
        }
        primes[number % primes.length] = number;
        return true;
    }

    static class Client extends Thread {
        @Override
        public void run() {
            assert isPrime(11);
            assert !isPrime(15);
            assert isPrime(23);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Client first = new Client();
        Client second = new Client();
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
