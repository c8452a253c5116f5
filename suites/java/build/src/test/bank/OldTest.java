package bank;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OldTest {
    @Test(expected = ArithmeticException.class)
    public void divides() {
        int balance = new Account().balance();
        assertEquals(0, 1 / balance);
    }

    @Test(expected = ArithmeticException.class)
    public void doesNotDivide() {
        assertEquals(0, new Account().balance());
    }
}
