// expect error the call of `java.io.PrintStream.printf(Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;` in Formatted.main, line 5 is not supported
/** Formatted output. */
public class Formatted {
    public static void main(String[] args) {
        System.out.printf("%d", 1);
    }
}
