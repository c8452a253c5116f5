/** No thread, no `main`. */
class Nothing {
    static int x;
}
