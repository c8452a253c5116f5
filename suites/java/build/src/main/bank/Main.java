package bank;

/** Two threads deposit in one account without a lock. */
public class Main {
    public static void main(String[] args) throws InterruptedException {
        Account account = new Account();
        Thread other = new Thread(() -> account.deposit(5));
        other.start();
        account.deposit(5);
        other.join();
        if (account.balance() != 10) {
            throw new IllegalStateException("the balance is " + account.balance());
        }
    }
}
