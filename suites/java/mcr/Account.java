// Accounts between which threads transfer money. Each operation on an account is synchronised, a transfer is not: it takes
// the sum from one balance without the lock.
// expect sc fail
// expect tso fail
// expect pso fail
public class Account {
    private double balance;
    private final String owner;

    Account(String owner, double balance) {
        this.owner = owner;
        this.balance = balance;
    }

    synchronized void deposit(double amount) {
        balance += amount;
    }

    synchronized void withdraw(double amount) {
        balance -= amount;
    }

    synchronized double getBalance() {
        return balance;
    }

    /** The other account is changed without its lock. */
    synchronized void transfer(Account other, double amount) {
        balance -= amount;
        other.balance += amount;
    }

    String getOwner() {
        return owner;
    }

    static class Clerk extends Thread {
        private final Account from;
        private final Account to;
        private final boolean deposits;

        Clerk(Account from, Account to, boolean deposits) {
            this.from = from;
            this.to = to;
            this.deposits = deposits;
        }

        @Override
        public void run() {
            if (deposits) {
                from.deposit(300);
            } else {
                from.withdraw(100);
            }
            from.transfer(to, 99);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Account[] accounts = new Account[4];
        String[] names = {"A", "B", "C", "D"};
        for (int i = 0; i < accounts.length; i++) {
            accounts[i] = new Account(names[i], 100);
        }
        Clerk[] clerks = new Clerk[accounts.length];
        for (int i = 0; i < clerks.length; i++) {
            clerks[i] = new Clerk(accounts[i], accounts[(i + 1) % accounts.length], i % 2 == 0);
        }
        for (Clerk clerk : clerks) {
            clerk.start();
        }
        for (Clerk clerk : clerks) {
            clerk.join();
        }
        for (int i = 0; i < accounts.length; i++) {
            assert accounts[i].getBalance() == (i % 2 == 0 ? 400 : 0);
        }
    }
}
