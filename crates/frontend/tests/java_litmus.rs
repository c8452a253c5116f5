//! Litmus tests in Java, as the program they become and what is refused.

mod support;

use support::{code, compare, messages, read, run};

fn test(body: &str, observed: &str) -> String {
    format!("Java test\n{{ x=0; y=5; 0:X=x; 0:Y=y; }}\nThread0 {{\n{body}\n}}\nlocations [{observed}]\n")
}

#[test]
fn access_modes_become_orders() {
    let body = "int r0 = X.get();
        int r1 = X.getOpaque();
        int r2 = Y.getAcquire() + X.getVolatile();
        X.set(1);
        X.setOpaque(2);
        Y.setRelease(r0);
        Y.setVolatile(r1 + 1);
        fullFence();
        VarHandle.acquireFence();
        releaseFence();
        loadLoadFence();
        storeStoreFence();";
    compare(
        &code(&read(&test(body, ""))),
        "
        b0:
          %r0 := load &x plain
          %r1 := load &x relaxed
          %_0 := load &y acquire
          %_1 := load &x seq_cst{volatile}
          %r2 := add %_0, %_1
          store &x, 1:i32 plain
          store &x, 2:i32 relaxed
          store &y, %r0 release
          %_2 := add %r1, 1:i32
          store &y, %_2 seq_cst{volatile}
          fence seq_cst{V}
          fence acquire
          fence release
          fence acquire
          fence release
          return
        ",
    );
}

#[test]
fn updates_give_what_java_says() {
    let body = "int a = X.getAndAdd(2);
        int b = X.getAndAddAcquire(3);
        int c = X.getAndSetRelease(7);
        int d = X.compareAndExchange(7, 8);
        int e = X.compareAndExchangeAcquire(7, 9);
        int f = 0;
        int g = 0;
        if (X.compareAndSet(8, 6)) f = 1;
        if (X.compareAndSet(8, 1)) g = 1;
        int h = X.getAndBitwiseOr(1);
        int i = X.getAndBitwiseAndRelease(5);
        int j = X.getAndBitwiseXorAcquire(4);";
    assert_eq!(
        run(&test(body, "x;0:a;0:b;0:c;0:d;0:e;0:f;0:g;0:h;0:i;0:j")),
        "x=1 0:a=0 0:b=2 0:c=5 0:d=7 0:e=8 0:f=1 0:g=0 0:h=6 0:i=7 0:j=5"
    );
}

#[test]
fn the_mode_of_a_failed_exchange_is_that_of_its_read() {
    let body = "int a = X.compareAndExchangeRelease(0, 1);
        int b = X.weakCompareAndSetPlain(0, 1);";
    compare(
        &code(&read(&test(body, ""))),
        "
        b0:
          %a, %_0 := compare_exchange &x, 0:i32, 1:i32 release else plain
          %_1, %b := compare_exchange_weak &x, 0:i32, 1:i32 relaxed else plain
          return
        ",
    );
}

#[test]
fn both_sides_of_a_conjunction_are_evaluated() {
    let body = "int r = 0;\nif (X.get() == 1 && Y.get() == 5) { r = 1; } else { r = 2; }";
    let shown = code(&read(&test(body, "")));
    assert_eq!(shown.matches("load").count(), 2);
    assert_eq!(shown.matches("branch").count(), 1, "{shown}");
    assert_eq!(run(&test(body, "0:r")), "0:r=2");
}

#[test]
fn what_is_not_java_is_refused_with_its_place() {
    for (body, expected) in [
        ("Z.set(1);", "`Z` is not a handle of a location"),
        ("X.getRelease();", "the method `getRelease`"),
        ("X.set();", "`set` takes 1 arguments, here are 0"),
        ("fence();", "unknown function `fence`"),
        ("fullFence(1);", "`fullFence` takes no arguments"),
        ("long r = 1;", "a variable of another type than `int`"),
        ("int r = X.set(1);", "this expression has no value"),
    ] {
        let found = messages(&test(body, ""));
        assert!(found.contains(expected), "{body}: {found}");
    }
    let found = messages("Java t\n{ x=0; }\nP0 (int* x) { }\nexists (x=0)\n");
    assert!(found.contains("expected a thread `Thread0 { ... }`"), "{found}");
    let found = messages("C t\n{ x=0; 0:X=x; }\nP0 (int* x) { X.get(); }\nexists (x=0)\n");
    assert!(found.contains("the call of a method"), "{found}");
}
