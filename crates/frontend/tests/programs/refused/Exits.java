// expect error `System.exit` with a status that may be 0 in Exits.main, line 5 is not supported
/** The end of all threads. */
public class Exits {
    public static void main(String[] args) {
        System.exit(args.length);
    }
}
