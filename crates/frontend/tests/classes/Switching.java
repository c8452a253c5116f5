/** A switch on a string. */
class Switching {
    static int x;

    public static void main(String[] args) {
        switch ("a") {
            case "a":
                x = 1;
        }
    }
}
