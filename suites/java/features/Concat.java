// Strings: concatenation, the methods of String and StringBuilder. Prints the same in every execution.
// expect sc pass
public class Concat {
    static final String PREFIX = "p";
    @Override
    public String toString() { return "concat"; }

    public static void main(String[] args) {
        Object nothing = null;
        String s = "a" + 1 + 2L + 'c' + true + nothing + new Concat() + PREFIX + (char) 66 + (byte) -1;
        System.out.println(s);
        s += 3;
        s += 'x';
        System.out.println(s.length() + s);
        String t = 1 + 2 + "3" + 4 + 5;
        System.out.println(t);
        System.out.println(s.substring(2, 5) + s.indexOf("true") + s.charAt(3) + s.contains("null") + s.indexOf('z'));
        System.out.println("abc".equals("ab" + 'c') + " " + "abc".compareTo("abd") + " " + "Hello".hashCode() + " " + "  x ".trim() + "|");
        System.out.println("a,b".replace(',', ';') + "abc".startsWith("ab") + "abc".endsWith("x") + "".isEmpty() + "abc".lastIndexOf("c"));
        StringBuilder builder = new StringBuilder("x");
        builder.append(1).append('y').append(true).append((Object) null).insert(0, "<").reverse();
        System.out.println(builder + " " + builder.length() + builder.charAt(1));
        builder.setLength(3);
        builder.deleteCharAt(0);
        builder.setCharAt(0, 'Q');
        System.out.println(builder.toString());
        System.out.println(String.valueOf(12) + String.valueOf('c') + String.valueOf(true) + String.valueOf(nothing) + Integer.toString(-5));
        switch (t.substring(0, 2)) {
            case "33": System.out.println("three three"); break;
            case "34": System.out.println("other"); break;
            default: System.out.println("none");
        }
        char[] letters = {'h', 'i'};
        System.out.println(String.valueOf(letters) + letters.length + "hi".toCharArray()[1]);
        System.out.println("a" == "a" ? "same" : "different");
        System.out.println(("a" + s.charAt(0)).equals("aa") + " " + ("x" + s).concat("end").length());
        System.out.print("no line end; ");
        System.out.print('c');
        System.out.print(4L);
        System.out.println();
    }
}
