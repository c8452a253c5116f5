// expect error the call of `Native.outside`, which has no code, in Native.main, line 7 is not supported
/** Code outside of Java. */
public class Native {
    static native int outside();

    public static void main(String[] args) {
        System.out.println(outside());
    }
}
