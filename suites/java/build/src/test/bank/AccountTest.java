package bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class AccountTest {
    private Account account;

    @BeforeEach
    void open() {
        account = new Account();
    }

    @Test
    void depositsInTurn() throws InterruptedException {
        Thread other = new Thread(() -> account.deposit(5));
        other.start();
        other.join();
        account.deposit(5);
        assertEquals(10, account.balance());
    }

    @Test
    void depositsAtOnce() throws InterruptedException {
        Thread other = new Thread(() -> account.deposit(5));
        other.start();
        account.deposit(5);
        other.join();
        assertEquals(10, account.balance(), "no deposit is lost");
    }

    @Test
    void refuses() {
        Account none = null;
        assertThrows(NullPointerException.class, () -> none.deposit(1));
    }

    @Disabled
    @Test
    void isOff() {
        assertEquals(1, account.balance());
    }

    @Nested
    class Opened {
        @BeforeEach
        void begin() {
            account.deposit(1);
        }

        @Test
        void hasWhatItBeganWith() {
            assertEquals(1, account.balance());
        }
    }
}
