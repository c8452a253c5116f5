// expect error TextOfDouble.main, line 5
/** The text of a floating-point number. */
public class TextOfDouble {
    public static void main(String[] args) {
        String text = "pi is " + 3.14 * args.length;
        System.out.println(text);
    }
}
