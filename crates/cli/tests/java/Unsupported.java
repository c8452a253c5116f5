import palisade.ThreadBody;

class Unsupported {
    static int x = 0;

    @ThreadBody
    static void half() {
        double d = x;
        x = (int) (d / 2);
    }
}
