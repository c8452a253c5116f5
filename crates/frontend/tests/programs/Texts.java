/** Strings, builders, concatenation. */
public class Texts {
    static String join(String... parts) {
        StringBuilder builder = new StringBuilder();
        for (String part : parts) {
            if (builder.length() > 0) {
                builder.append(',');
            }
            builder.append(part);
        }
        return builder.toString();
    }

    public static void main(String[] args) {
        String hello = "hello";
        System.out.println(hello + " " + 1 + 2L + 'c' + true + null);
        System.out.println(join("a", "bc", null, ""));
        System.out.println(hello.length() + hello.charAt(1));
        System.out.println(hello.equals("hel" + "lo") + " " + (hello == "hello") + " " + hello.equals(null));
        System.out.println(hello.substring(1, 3) + hello.indexOf('l') + hello.indexOf("lo") + hello.contains("ell"));
        System.out.println("abc".compareTo("abd") + " " + "a".compareTo("abc") + " " + "hello".hashCode());
        StringBuilder builder = new StringBuilder("x");
        builder.append(12).append(-5L).append(new char[] {'y'}).insert(0, "<").reverse().setLength(4);
        System.out.println(builder);
        builder.deleteCharAt(0).setCharAt(0, '#');
        System.out.println(builder.toString() + builder.charAt(1));
        try {
            hello.charAt(9);
        } catch (StringIndexOutOfBoundsException e) {
            System.out.println("index");
        }
        StringBuffer buffer = new StringBuffer();
        buffer.append("one").append(new StringBuffer("two")).delete(1, 3);
        System.out.println(buffer);
        System.out.println(String.valueOf(3) + String.valueOf('c') + String.valueOf(false));
        Object object = hello;
        System.out.println(object);
        CharSequence sequence = builder;
        System.out.println(sequence.length());
        String empty = "";
        System.out.println(empty.isEmpty() + "|" + empty + "|");
        for (char c : "äz€".toCharArray()) {
            System.out.println((int) c);
        }
        String grown = "";
        for (int i = 0; i < 12; i++) {
            grown += i;
        }
        System.out.println(grown);
        System.out.println(hello.startsWith("he") && hello.endsWith("lo"));
        System.out.print('a');
        System.out.print("b");
        System.out.print(3);
        System.out.println();
        System.out.println((String) null);
    }
}
