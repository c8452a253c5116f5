package java.util.function;

public interface IntBinaryOperator {
    int applyAsInt(int first, int second);
}
