package bank;

/** An account that nothing protects. */
public class Account {
    private int balance;

    public void deposit(int amount) {
        balance = balance + amount;
    }

    public int balance() {
        return balance;
    }
}
