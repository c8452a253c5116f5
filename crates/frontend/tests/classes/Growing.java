/** Thirty methods, each of which calls the next one twice. */
class Growing {
    static void f0() {
        f1();
        f1();
    }

    static void f1() {
        f2();
        f2();
    }

    static void f2() {
        f3();
        f3();
    }

    static void f3() {
        f4();
        f4();
    }

    static void f4() {
        f5();
        f5();
    }

    static void f5() {
        f6();
        f6();
    }

    static void f6() {
        f7();
        f7();
    }

    static void f7() {
        f8();
        f8();
    }

    static void f8() {
        f9();
        f9();
    }

    static void f9() {
        f10();
        f10();
    }

    static void f10() {
        f11();
        f11();
    }

    static void f11() {
        f12();
        f12();
    }

    static void f12() {
        f13();
        f13();
    }

    static void f13() {
        f14();
        f14();
    }

    static void f14() {
        f15();
        f15();
    }

    static void f15() {
        f16();
        f16();
    }

    static void f16() {
        f17();
        f17();
    }

    static void f17() {
        f18();
        f18();
    }

    static void f18() {
        f19();
        f19();
    }

    static void f19() {
        f20();
        f20();
    }

    static void f20() {
        f21();
        f21();
    }

    static void f21() {
        f22();
        f22();
    }

    static void f22() {
        f23();
        f23();
    }

    static void f23() {
        f24();
        f24();
    }

    static void f24() {
        f25();
        f25();
    }

    static void f25() {
        f26();
        f26();
    }

    static void f26() {
        f27();
        f27();
    }

    static void f27() {
        f28();
        f28();
    }

    static void f28() {
        f29();
        f29();
    }

    static void f29() {
        f30();
        f30();
    }

    static void f30() {}

    public static void main(String[] args) {
        f0();
    }
}
