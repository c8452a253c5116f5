// expect error the call of `java.io.PrintStream.printf(Ljava/util/Locale;Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;` in Formatted.main, line 5 is not supported
/** Output in the format of a country. */
public class Formatted {
    public static void main(String[] args) {
        System.out.printf((java.util.Locale) null, "%d", 1);
    }
}
